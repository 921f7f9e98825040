/** Turn off V8's optimizing compilers. In a short process they cost more time than they save. */
export const nodeOptions = ['--liftoff-only', '--no-opt']

/** The program and the options that start a process of the tests. */
export const node: [string, ...string[]] = [process.execPath, ...nodeOptions]
