/** The version of the official SDK whose protocol we speak, which engines ask for. */
export const SDK_VERSION = '0.25.0';
