import 'reflect-metadata';

/**
 * For classes that the app constructs: `constructor(@inject(CONFIG) config: RllmConfig)`. These are tsyringe's; a plugin takes
 * them from here, so that there is one tsyringe.
 */
export { inject, injectable } from 'tsyringe';
