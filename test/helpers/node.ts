/** V8 compiles no code a second time. A process that soon ends would not win back that time. */
export const nodeOptions = ['--liftoff-only', '--no-opt']

/** The program and the options that start a process of the tests. */
export const node: [string, ...string[]] = [process.execPath, ...nodeOptions]
