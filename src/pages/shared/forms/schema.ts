export type { Schema } from '../../../client/client.js'
