export const minuteMs = 60_000
export const hourMs = 60 * minuteMs
export const dayMs = 24 * hourMs

/** Returns milliseconds since a fixed instant. Tests pass their own clock. */
export type Clock = () => number

export const steadyClock: Clock = () => performance.now()
