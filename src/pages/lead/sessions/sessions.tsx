import { useEffect } from 'preact/hooks'
import type { Schema } from '../../shared/forms/schema.js'
import { written } from '../../shared/written.js'
import { readBlueprintsByKey } from '../calls/scenarios.js'
import { mostSessions, readSessions } from '../calls/sessions.js'
import { Await, useLoaded } from '../elements/loaded.js'
import { OnlyFirst } from '../elements/only-first.js'
import { may } from '../me.js'
import { href } from '../router.js'
import { View } from '../view.js'
import { capitalised, dateOf, say } from '../words/words.js'
import { followSessions } from './follow.js'
import { Status } from './status.js'

type Listed = Schema<'ListedSession'>

const groups: { word: 'lead.now' | 'lead.planned' | 'lead.over'; statuses: Listed['status'][] }[] =
  [
    { word: 'lead.now', statuses: ['running', 'paused', 'failed'] },
    { word: 'lead.planned', statuses: ['draft', 'scheduled'] },
    { word: 'lead.over', statuses: ['completed', 'cancelled'] },
  ]

/** All sessions: those that run, those that are planned, and those that are over. */
export function Sessions() {
  const isFollowed = may('streamEvents')
  const loaded = useLoaded(readSessions, [], isFollowed ? 0 : 10_000)
  const scenarios = useLoaded(readBlueprintsByKey)
  useEffect(() => (isFollowed ? followSessions(() => void loaded.load()) : undefined), [loaded])
  return (
    <View
      title={say('lead.sessions')}
      actions={
        may('createSession') && (
          <a class="button primary" href={href('sessions', 'new')}>
            {say('lead.planSession')}
          </a>
        )
      }
    >
      <Await loaded={loaded}>
        {(sessions) =>
          sessions.length === 0 ? (
            <FirstSteps />
          ) : (
            <div class="stack">
              {groups.map(({ word, statuses }) => (
                <Group
                  key={word}
                  title={say(word)}
                  sessions={sessions.filter(({ status }) => statuses.includes(status))}
                  scenarios={scenarios.data.value}
                />
              ))}
              <OnlyFirst count={sessions.length} most={mostSessions} />
            </div>
          )
        }
      </Await>
    </View>
  )
}

interface GroupProps {
  title: string
  sessions: readonly Listed[]
  scenarios: Map<string, Schema<'ListedBlueprint'>> | null
}

function Group({ title, sessions, scenarios }: GroupProps) {
  if (sessions.length === 0) return null
  return (
    <section class="stack tight">
      <h2>{title}</h2>
      <ul class="rows card">
        {sessions.map((session) => (
          <Row key={session._id} session={session} scenarios={scenarios} />
        ))}
      </ul>
    </section>
  )
}

/** The name of a scenario that the catalogue does not have, as the service makes it of a key. */
const wordsOf = (name: string) =>
  /^[a-z0-9_]+$/.test(name) ? capitalised(name.replaceAll('_', ' ')) : name

function Row({ session, scenarios }: { session: Listed } & Pick<GroupProps, 'scenarios'>) {
  const { _id, name, scenario_name, status, clock, open_expectations, started_at } = session
  const isNow = ['running', 'paused', 'failed'].includes(status)
  const time = started_at ?? session.starts_at
  const scenario = scenarios?.get(scenario_name)
  return (
    <li class="row between">
      <div>
        <a
          class="row-name"
          href={isNow ? href('sessions', _id, 'run') : href('sessions', _id)}
          {...written}
        >
          {name}
        </a>
        <p class="muted small">
          {scenarios && (
            <span lang={scenario?.lang ?? ''} dir="auto">
              {scenario?.label ?? wordsOf(scenario_name)}
            </span>
          )}
          {time && <> · {dateOf(time)}</>}
        </p>
      </div>
      <div class="row">
        {isNow && clock.elapsed_ms !== null && (
          <span class="small">
            {say('lead.clockAt', { time: `${Math.floor(clock.elapsed_ms / 60_000)}` })}
          </span>
        )}
        {isNow && open_expectations > 0 && (
          <a class="chip warn" href={href('sessions', _id, 'run', 'waits')}>
            {say('lead.waiting', { count: open_expectations })}
            <span class="unseen"> {name}</span>
          </a>
        )}
        <Status status={status} />
      </div>
    </li>
  )
}

/** What to do when there is no session yet. */
function FirstSteps() {
  if (!may('createSession')) return <p class="card">{say('lead.noSessionsForYou')}</p>
  return (
    <section class="card stack">
      <h2>{say('lead.firstSteps')}</h2>
      <ol class="steps">
        <li>
          <a href={href('scenarios')}>{say('lead.step1')}</a>
          <p class="muted">{say('lead.step1Why')}</p>
        </li>
        <li>
          <a href={href('sessions', 'new')}>{say('lead.step2')}</a>
          <p class="muted">{say('lead.step2Why')}</p>
        </li>
        <li>
          {say('lead.step3')}
          <p class="muted">{say('lead.step3Why')}</p>
        </li>
      </ol>
    </section>
  )
}
