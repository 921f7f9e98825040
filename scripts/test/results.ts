import { stripVTControlCharacters } from 'node:util'
import { dump } from 'js-yaml'
import { Parser, type Result } from 'tap-parser'

export interface Failure {
  title: string
  text: string
}

/** One run of a test file, and what is known of it so far. */
export class FileRun {
  readonly #start = performance.now()
  seconds = 0
  passed = 0
  readonly failures: Failure[] = []
  /** Why tests were skipped, once for each test. */
  readonly skips: string[] = []

  /** `name` is the path of the compiled file in `dist/test`. */
  constructor(readonly name: string) {}

  get source(): string {
    return `test/${this.name.replace(/\.js$/, '.ts')}`
  }

  get hasFailed(): boolean {
    return this.failures.length > 0
  }

  end(): void {
    this.seconds = (performance.now() - this.#start) / 1_000
  }
}

interface Listener {
  failed(failure: Failure): void
  fileEnded(): void
}

/**
 * Reads what a process of tests prints, in the Test Anything Protocol: "files" around all, the files in it,
 * and in each its tests. `current` returns the file that runs.
 */
export function readResults(
  output: NodeJS.ReadableStream,
  current: () => FileRun,
  { failed, fileEnded }: Listener,
): void {
  function fail(titles: string[], { name, diag }: Result) {
    const title = stripVTControlCharacters([...titles, name].join(' > '))
    const failure = { title, text: diag ? dump(diag, { lineWidth: -1, skipInvalid: true }) : '' }
    current().failures.push(failure)
    failed(failure)
  }

  function readTests(parser: Parser, titles: string[]) {
    let last: Parser | undefined
    parser.on('child', (child: Parser) => {
      last = child
      readTests(child, [...titles, child.name])
    })
    parser.on('assert', (result: Result) => {
      const { ok, skip, closingTestPoint } = result
      if (skip !== false) current().skips.push(String(skip))
      else if (ok && !closingTestPoint) current().passed += 1
      // A test fails because of what is in it, which is known already, or by itself.
      else if (!ok && !(closingTestPoint && last && last.fail > 0)) fail(titles, result)
    })
  }

  const root = new Parser()
  root.on('extra', (text: string) => process.stdout.write(text))
  root.on('assert', (result: Result) => {
    if (!result.ok && !result.closingTestPoint) fail([], result)
  })
  root.on('child', (files: Parser) => {
    files.on('child', (file: Parser) => readTests(file, []))
    files.on('assert', (result: Result) => {
      const { ok, closingTestPoint } = result
      if (!ok && !(closingTestPoint && current().hasFailed)) fail([], result)
      if (closingTestPoint) fileEnded()
    })
  })
  output.pipe(root)
}
