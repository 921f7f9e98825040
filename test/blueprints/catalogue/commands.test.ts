import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { t } from '../../helpers/file.js'
import { nodeOptions } from '../../helpers/node.js'
import { branchedScenario, folderWith, scenarioOfReadme } from '../../helpers/own-scenario.js'

interface Ended {
  code: number
  stdout: string
  stderr: string
}

const run = async (script: string, ...args: string[]): Promise<Ended> => {
  const command = [...nodeOptions, `dist/scripts/${script}.js`, ...args]
  const ended = promisify(execFile)(process.execPath, command, { maxBuffer: 1 << 26 })
  return ended.then(
    (output) => ({ code: 0, ...output }),
    (error: Ended) => error,
  )
}

t.test('catalogue:read', async (t) => {
  const read = (...args: string[]) => run('catalogue-read', '--scenario', 'hr_workforce', ...args)

  t.test("prints each arm as people read it, and the facilitator's part", async (t) => {
    const [control, intervention] = await Promise.all([read(), read('--arm', 'intervention')])
    t.equal(control.code, 0)
    t.match(control.stdout, /^# HR workforce\n/)
    t.match(control.stdout, /## For the facilitator/)
    t.match(
      control.stdout,
      /\*\*[A-Z]\w+ [A-Z]\w+\*\* in #payroll-questions · day 1 10:00 · minute 1\d/,
    )
    t.match(control.stdout, /\n- \*\*[A-Z]\w+ [A-Z]\w+\*\* · day 1 \d\d:\d\d · minute \d\d: /)
    t.match(control.stdout, / · only if no one has decided repair _\(fallback, /)
    t.not(control.stdout, intervention.stdout)
  })

  t.test(
    'prints the situation, the documents, and for trainers what they watch and ask',
    async (t) => {
      const [whole, open] = await Promise.all([
        run('catalogue-read', '--scenario', 'crisis_response'),
        run('catalogue-read', '--scenario', 'crisis_response', '--participant'),
      ])
      for (const { stdout } of [whole, open]) {
        t.match(stdout, /^## The situation\n\nWe store chilled food/m)
        t.match(stdout, /^- \*\*logger\*\*: a small device/m)
        t.match(stdout, /^📎 \*\*Printout of cell 7\*\*\n\n```\nCELL 7, WALL SENSOR, LAST NIGHT\n/m)
      }
      t.match(whole.stdout, /^### The observer's sheet\n\n- 10 to 19: /m)
      t.match(whole.stdout, /^### Debrief\n\n- Which reading did you believe first/m)
      t.notMatch(open.stdout, /observer|Debrief|Which reading did you believe first/)
    },
  )

  t.test('leaves out what participants may not know', async (t) => {
    const { stdout } = await read('--participant')
    t.match(stdout, /## Participants\n/)
    const other = await read('--participant', '--organization', 'another')
    t.not(other.stdout, stdout, 'its people have other names')
    t.notMatch(
      stdout,
      /facilitator|privately|Hypothesis|decision_point|this arm only|wants: |the control arm/,
    )
  })

  t.test('accepts other models and sizes, and can print channel by channel', async (t) => {
    const { stdout } = await read(
      '--models',
      'org_culture=market',
      '--size',
      '2',
      '--by',
      'channel',
    )
    t.match(stdout, /^2 characters, the control arm\. market, /m)
    t.match(stdout, /^### #people-team$/m)
  })

  t.test('prints one path, or all paths with their conditions', async (t) => {
    const args = ['--scenario', 'evacuation', '--dir', folderWith(t, branchedScenario())]
    const readOwn = async (...more: string[]) =>
      (await run('catalogue-read', ...args, ...more)).stdout
    const all = await readOwn()
    t.match(all, / · only if count ends in open · as soon as participants decide it /)
    t.match(all, /minute \d\d · not if count ends in open: We wait for the floors\./)
    const opened = await readOwn('--path', 'count=open')
    t.match(opened, / Path: count=open,search=lapsed\./)
    t.match(opened, 'Then it was right to open.')
    t.notMatch(
      opened,
      /Then we wait for nothing|No one has said a word|Who walks the floors\?\n\n>/,
    )
    t.notMatch(opened, / · only if /, 'every line is on the path')
    t.match(await readOwn('--path='), 'No one has said a word.', 'omitted decisions lapse')
  })

  t.test('prints a pack as a page for paper, with the name of the organization', async (t) => {
    const args = ['--print', '--organization-name', 'Müller & Söhne']
    const [trainers, participants, own] = await Promise.all([
      read(...args),
      read(...args, '--participant'),
      read(...args, '--participant', '--role', 'case_handler'),
    ])
    for (const { code, stdout } of [trainers, participants, own]) {
      t.equal(code, 0)
      t.match(stdout, /^<!doctype html>/)
      t.match(stdout, '<title>HR workforce, Müller &amp; Söhne</title>')
    }
    t.match(trainers.stdout, 'For trainers only')
    t.notMatch(participants.stdout, /For trainers only|Only you know this/)
    t.match(own.stdout, 'Only you know this')
  })

  t.test('refuses options that a pack does not have', async (t) => {
    t.match(await read('--print', '--path='), { code: 2, stderr: /leave out --path/ })
    t.match(await read('--print', '--by', 'time'), { code: 2, stderr: /leave out --by/ })
    t.match(await read('--organization-name', 'x'), { code: 2, stderr: /is for --print/ })
    t.match(await read('--print', '--role', 'x'), { code: 2, stderr: /--print --participant/ })
    t.match(await read('--print', '--participant', '--role', 'x'), {
      code: 2,
      stderr: /no role x in hr_workforce: case_handler, /,
    })
  })

  t.test('reports unknown values', async (t) => {
    t.match(await read('--path', 'x=y'), {
      code: 2,
      stderr: /no decision x in hr_workforce: repair,/,
    })
    t.match(await read('--path', 'repair=x'), { code: 2, stderr: /by_hand, .*, lapsed, not in x/ })
    t.match(await run('catalogue-read', '--scenario', 'x'), { code: 2, stderr: /no scenario x: / })
    t.match(await run('catalogue-read'), { code: 2, stderr: /--scenario NAME/ })
    t.match(await read('--arm', 'both'), { code: 2, stderr: /--arm is control or intervention/ })
    t.match(await read('--by', 'chanel'), { code: 2, stderr: /--by is time or channel/ })
    t.match(await read('--models', 'culture=clan'), { code: 2, stderr: /org_culture=market, of / })
    t.match(await read('--models', 'org_culture'), { code: 2, stderr: /org_culture=market, of / })
    t.match(await read('--size', '51'), { code: 2, stderr: /1 to 50/ })
    t.match(await run('catalogue-read', '--help'), { code: 0, stdout: /catalogue:read/ })
  })
})

t.test('catalogue:check', async (t) => {
  t.test('prints each rule with its figure and its bound', async (t) => {
    const { code, stdout } = await run('catalogue-check', '--scenario', 'hr_workforce', '--fast')
    t.equal(code, 0, stdout)
    t.match(stdout, /^ok {2}words of the story on a path: 1\d{3} to 1\d{3} \(900 to 1200\)$/m)
    t.match(stdout, /no finding\n$/)
  })

  t.test('names the place where a rule is broken', async (t) => {
    const folder = t.testdir({ scenarios: { 'drill.yaml': scenarioOfReadme() } })
    const args = ['--scenario', 'evacuation', '--fast', '--dir', folder]
    const { code, stdout } = await run('catalogue-check', ...args)
    t.equal(code, 1)
    t.match(
      stdout,
      /^NOT root lines of the story on a path: 2 to 3 \(12 to 15\)\n {6}evacuation \/ 6 characters \/ control \/ count=open: 2 instead of /m,
    )
    t.match(
      stdout,
      /^ {6}evacuation \/ 1 character \/ control \/ slip: it is not posted, \d+ times in all$/m,
    )
    t.match(stdout, /\d+ findings\n$/)
  })

  t.test('measures each path of a scenario with branches', async (t) => {
    const args = ['--scenario', 'evacuation', '--fast', '--dir', folderWith(t, branchedScenario())]
    const { stdout } = await run('catalogue-check', ...args)
    t.match(stdout, /^NOT root lines of the story on a path: [678] to \d+ \(12 to 15\)$/m)
    t.match(stdout, /^ {6}evacuation \/ 6 characters \/ control \/ count=open: \d+ instead of /m)
    t.match(stdout, /^ok {2}a decision has its time: 0 /m)
    t.match(stdout, /^ok {2}what depends on a decision comes after it: 0 /m)
  })

  t.test('reports unknown values', async (t) => {
    const nowhere = await run('catalogue-check', '--dir', `${t.testdir()}/nowhere`)
    t.match(nowhere, { code: 2, stderr: /nowhere: there is no such folder/ })
    t.match(await run('catalogue-check', '--scenario', 'x'), { code: 2, stderr: /no scenario x/ })
    t.match(await run('catalogue-check', '--help'), { code: 0, stdout: /catalogue:check/ })
  })
})
