import { readConfig } from '../../src/process/config.js'

/** Returns the message that refuses an environment, or an empty text. */
export function faultsOf(environment: Record<string, string>): string {
  try {
    readConfig(environment)
    return ''
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/** Returns the variables in the message, in its order. */
export const namesIn = (message: string) =>
  [...message.matchAll(/^ {2}([A-Z_]+): \S/gm)].map(([, name]) => name)
