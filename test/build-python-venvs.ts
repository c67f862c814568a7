// npx jiti test/build-python-venvs.ts: builds the Python environments that tests ask for, unless they are there, so that no test has to wait.
import { pythonVenv } from './python-venv.js';

await Promise.all([pythonVenv('tensorboard'), pythonVenv('tinker')]);
