import { fileURLToPath } from 'node:url'

/** The checkout that this package lies in, whose built service is measured. */
export const checkout = fileURLToPath(new URL('../../..', import.meta.url))
