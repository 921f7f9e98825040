/** Milliseconds since some instant. Tests pass their own. */
export type Clock = () => number

export const steadyClock: Clock = () => performance.now()
