import { readBriefing, readRatings, readSession } from '../../calls/sessions.js'
import { Await, useLoaded } from '../../elements/loaded.js'
import { aboutSession } from '../../elements/printed.js'
import { href } from '../../router.js'
import { View } from '../../view.js'
import { say } from '../../words/words.js'
import { RatingForm } from './rating-form.js'
import { RatingsTable } from './ratings-table.js'

async function read(id: string) {
  const [session, briefing, ratings] = await Promise.all([
    readSession(id),
    readBriefing(id),
    readRatings(id),
  ])
  return { briefing, ratings, printed: aboutSession(session, briefing.label) }
}

/** Rates a session, without the ratings of others until one's own are complete. */
export function Rate({ id }: { id: string }) {
  const loaded = useLoaded(() => read(id), [id])
  return (
    <View
      title={say('lead.rate')}
      printed={loaded.data.value?.printed}
      over={
        <a href={href('sessions', id)}>
          ← {loaded.data.value?.briefing.name ?? say('lead.session')}
        </a>
      }
    >
      <Await loaded={loaded}>
        {({ briefing, ratings }) =>
          ratings.criteria.length === 0 ? (
            <p class="card">{say('lead.noCriteria')}</p>
          ) : ratings.complete ? (
            <>
              {briefing.facilitator && (
                <p>
                  <a class="button primary" href={href('sessions', id, 'run', 'sheet')}>
                    {say('lead.debriefQuestions')}
                  </a>
                </p>
              )}
              <RatingsTable ratings={ratings} people={briefing.participants} />
            </>
          ) : (
            <RatingForm
              id={id}
              ratings={ratings}
              people={briefing.participants}
              onSaved={loaded.load}
            />
          )
        }
      </Await>
      {loaded.data.value?.ratings.complete === false && (
        <p class="muted small">{say('lead.selfRatingsLater')}</p>
      )}
    </View>
  )
}
