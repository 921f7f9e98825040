import { readConfig } from '../../src/process/config.js'

/** Returns the error message for an environment, or an empty text when it is valid. */
export function faultsOf(environment: Record<string, string>): string {
  try {
    readConfig(environment)
    return ''
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/** Returns the names of the variables in a message, in order. */
export const namesIn = (message: string) =>
  [...message.matchAll(/^ {2}([A-Z_]+): \S/gm)].map(([, name]) => name)
