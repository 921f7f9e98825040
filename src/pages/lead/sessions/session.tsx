import { useEffect } from 'preact/hooks'
import { announce } from '../../shared/announcer.js'
import { ActionFault, useAction } from '../../shared/forms/action.js'
import { ActionButton } from '../../shared/forms/action-button.js'
import { ConfirmButton } from '../../shared/forms/confirm.js'
import { deleteSession } from '../calls/sessions.js'
import { Await, useLoaded } from '../elements/loaded.js'
import { may, mayRate } from '../me.js'
import { go, href } from '../router.js'
import { CatalogueLanguage } from '../scenarios/catalogue-language.js'
import { View } from '../view.js'
import { dateOf, say } from '../words/words.js'
import { ChangeSession } from './change-session.js'
import { ExportSession } from './export-session.js'
import { followSession } from './follow.js'
import { Places } from './places.js'
import { Readiness } from './readiness.js'
import { lacksOnlyRoles, missingRolesOf, readAll, type SessionRead } from './session-reading.js'
import { ComingStart, missingOf, useStart } from './start.js'
import { Status } from './status.js'

/** One session: what it needs before its start, who takes part, and what to do after its end. */
export function Session({ id }: { id: string }) {
  const loaded = useLoaded(() => readAll(id), [id])
  const session = loaded.data.value?.session
  const isOver = session && hasEnded(session)
  useEffect(() => {
    if (!session) return
    if (!isOver) return followSession(id, session.counts.messages, loaded.load)
    // Private words still come then, without a stream.
    const timer = setInterval(loaded.load, 15_000)
    return () => clearInterval(timer)
  }, [loaded, isOver])
  const name = session?.name
  return (
    <View
      title={name ?? say('lead.session')}
      over={<a href={href('sessions')}>← {say('lead.sessions')}</a>}
    >
      <Await loaded={loaded}>
        {(all) => (
          <div class="stack">
            <Facts all={all} />
            <CatalogueLanguage lang={all.briefing.lang} />
            <div class="halves">
              <div class="stack">
                <Next all={all} />
                {all.readiness && (
                  <Readiness
                    readiness={all.readiness}
                    missingRoles={missingRolesOf(all)}
                    facilitator={all.briefing.facilitator}
                    experiment_id={all.session.experiment_id}
                  />
                )}
                {may('updateSession') && !isNothingToChange(all) && (
                  <ChangeSession all={all} onChange={loaded.load} />
                )}
                {!all.isBefore && may('exportSession') && <ExportSession session={all.session} />}
              </div>
              {all.places && <Places all={all} places={all.places} onChange={loaded.load} />}
            </div>
          </div>
        )}
      </Await>
    </View>
  )
}

const hasEnded = ({ status }: SessionRead['session']) => ['completed', 'cancelled'].includes(status)

/** After its start only the raters of a session change. */
const isNothingToChange = ({ isBefore, people }: SessionRead) =>
  !isBefore && !people?.some(({ role }) => role === 'executive')

function Facts({ all: { session, briefing, decisions, waiting } }: { all: SessionRead }) {
  const { status, started_at, ended_at, speed, counts } = session
  const recorded = decisions.filter(({ on_behalf }) => on_behalf).length
  return (
    <p class="row">
      <Status status={status} />
      <span>{briefing.label}</span>
      {session.experiment_id && may('getExperiment') && (
        <a href={href('experiments', session.experiment_id)}>{say('lead.experiment')}</a>
      )}
      {started_at && (
        <span class="muted">{say('lead.startedOn', { date: dateOf(started_at) })}</span>
      )}
      {ended_at && <span class="muted">{say('lead.endedOn', { date: dateOf(ended_at) })}</span>}
      {started_at && (
        <span class="muted">
          {say('lead.counts', { count: counts.messages })}
          {counts.decisions_asked > 0 && (
            <>
              {', '}
              {say('lead.decisionsMade', {
                made: counts.decisions_made,
                asked: counts.decisions_asked,
              })}
            </>
          )}
          {recorded > 0 && `, ${say('lead.decisionsRecorded', { count: recorded })}`}
        </span>
      )}
      {waiting > 0 && (
        <a class="chip warn" href={href('sessions', session._id, 'run', 'waits')}>
          {say('lead.wordsWait', { count: waiting })}
        </a>
      )}
      {speed > 1 && <span class="chip">{say('lead.pace.faster', { times: speed })}</span>}
    </p>
  )
}

/** What goes with a session that is deleted. */
function textOfDeletion({ experiment_id }: SessionRead['session'], isOver: boolean): string {
  const why = say(isOver ? 'lead.deleteEndedWhy' : 'lead.deleteSessionWhy')
  return experiment_id === null ? why : `${say('lead.deleteInExperiment')} ${why}`
}

/** The next steps for the session. */
function Next({ all }: { all: SessionRead }) {
  const { session, isBefore, readiness, places } = all
  const action = useAction()
  const { start, question } = useStart(session._id, () => {
    announce(say('lead.done.start'))
    go('sessions', session._id, 'run')
  })
  const discard = async () => {
    await deleteSession(session._id)
    go('sessions')
  }
  const isOver = hasEnded(session)
  const mayStart = readiness?.ready || lacksOnlyRoles(all)
  return (
    <section class="card stack tight">
      <h2>{say('lead.next')}</h2>
      {isBefore && readiness && !readiness.ready && (
        <p>{say(mayStart ? 'lead.rolesEmpty' : 'lead.notReady')}</p>
      )}
      {isBefore && readiness?.ready && (
        <p>{say(places && missingOf(places) ? 'lead.isPrepared' : 'lead.isReady')}</p>
      )}
      {isBefore && <ComingStart session={session} places={places} />}
      <div class="row">
        {isBefore && may('startSession') && (
          <ActionButton action={action} act={start} kind={mayStart ? 'primary' : ''}>
            {say('lead.start')}
          </ActionButton>
        )}
        <a
          class={isBefore || isOver ? 'button' : 'button primary'}
          href={href('sessions', session._id, 'run')}
        >
          {isOver ? say('lead.readAgain') : say('lead.toDesk')}
        </a>
        {may('createSeatLinks') && (
          <a class="button" href={href('sessions', session._id, 'pack')}>
            {say('lead.pack')}
          </a>
        )}
        {!isBefore && session.status !== 'cancelled' && mayRate(session) && (
          <a
            class={isOver ? 'button primary' : 'button'}
            href={href('sessions', session._id, 'rate')}
          >
            {say('lead.rate')}
          </a>
        )}
        {(session.status === 'draft' || isOver) && may('deleteSession') && (
          <ConfirmButton
            title={say('lead.deleteSessionTitle')}
            why={textOfDeletion(session, isOver)}
            act={discard}
            kind="danger"
          >
            {say('lead.deleteSession')}
          </ConfirmButton>
        )}
      </div>
      <ActionFault action={action} />
      {question}
    </section>
  )
}
