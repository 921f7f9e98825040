import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { t } from './helpers/file.js'

interface Ended {
  code: number
  stdout: string
  stderr: string
}

const run = async (script: string, ...args: string[]): Promise<Ended> => {
  const command = [`dist/scripts/${script}.js`, ...args]
  const ended = promisify(execFile)(process.execPath, command, { maxBuffer: 1 << 26 })
  return ended.then(
    (output) => ({ code: 0, ...output }),
    (error: Ended) => error,
  )
}

t.test('catalogue:read', async (t) => {
  const read = (...args: string[]) => run('catalogue-read', '--scenario', 'hr_workforce', ...args)

  t.test('prints each arm as people read it, and what the facilitator needs', async (t) => {
    const [control, intervention] = await Promise.all([read(), read('--arm', 'intervention')])
    t.equal(control.code, 0)
    t.match(control.stdout, /^# HR workforce\n/)
    t.match(control.stdout, /## For the facilitator/)
    t.match(
      control.stdout,
      /\*\*[A-Z]\w+ [A-Z]\w+\*\* in #payroll-questions · day 1 10:00 · minute 1\d/,
    )
    t.match(control.stdout, /\n- \*\*[A-Z]\w+ [A-Z]\w+\*\* · day 1 \d\d:\d\d: /)
    t.match(control.stdout, /only if nobody answered/)
    t.not(control.stdout, intervention.stdout)
  })

  t.test('keeps from participants what they may not know', async (t) => {
    const { stdout } = await read('--participant')
    t.match(stdout, /## Participants\n/)
    t.notMatch(stdout, /facilitator|privately|Hypothesis|decision_point|this arm only/)
  })

  t.test('takes other models and sizes, and goes channel by channel', async (t) => {
    const { stdout } = await read(
      '--models',
      'org_culture=market',
      '--size',
      '2',
      '--by',
      'channel',
    )
    t.match(stdout, /^2 people, the control arm\. market, /m)
    t.match(stdout, /^### #people-team$/m)
  })

  t.test('says what it does not know', async (t) => {
    t.match(await run('catalogue-read', '--scenario', 'x'), { code: 1, stderr: /no scenario x: / })
    t.match(await read('--arm', 'both'), { code: 1, stderr: /no arm both/ })
    t.match(await read('--models', 'culture=clan'), { code: 1, stderr: /no model culture/ })
    t.match(await read('--size', '51'), { code: 1, stderr: /1 to 50/ })
    t.match(await run('catalogue-read', '--help'), { code: 0, stdout: /catalogue:read/ })
  })
})

t.test('catalogue:check', async (t) => {
  t.test('prints each rule with its figure beside its bound', async (t) => {
    const { code, stdout } = await run('catalogue-check', '--scenario', 'hr_workforce', '--fast')
    t.equal(code, 0, stdout)
    t.match(stdout, /^ok {2}words of the story: 1\d{3} \(1,200 to 1,500\)$/m)
    t.match(stdout, /no finding\n$/)
  })

  t.test('names where a rule is broken', async (t) => {
    const folder = t.testdir({ models: { consequence_model: {} } })
    const { code, stderr } = await run('catalogue-check', '--dir', `${folder}/nowhere`)
    t.equal(code, 2)
    t.match(stderr, /nowhere: there are no scenarios and no models/)
    t.match(await run('catalogue-check', '--scenario', 'x'), { code: 2, stderr: /no scenario x/ })
    t.match(await run('catalogue-check', '--help'), { code: 0, stdout: /catalogue:check/ })
  })
})
