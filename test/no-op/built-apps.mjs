// node --import built-apps.mjs …: the plugin is in every app of that process that the built SDK creates, installed copies included.
import { register } from 'node:module';

register('./wrap-create-app.mjs', import.meta.url);
