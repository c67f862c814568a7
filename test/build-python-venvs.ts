// npx jiti test/build-python-venvs.ts: builds the Python environments that tests ask for, unless they are there, so that no test has to
// wait. What goes wrong is told by the tests that need them.
import { pythonVenv } from './python-venv.js';

await Promise.allSettled([pythonVenv('tensorboard'), pythonVenv('tinker')]);
