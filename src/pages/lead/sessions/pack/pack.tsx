import { StoryLanguage } from '../../../shared/room/story.js'
import { Await, useLoaded } from '../../elements/loaded.js'
import { may } from '../../me.js'
import { href } from '../../router.js'
import { View } from '../../view.js'
import { say } from '../../words/words.js'
import { Documents, TrainerSheet } from './documents.js'
import { Links, Print } from './links.js'
import { readPack } from './pack-reading.js'
import { Card, Situation } from './sheets.js'

/** What is printed: the situation, for each place its role and its link, the documents, and the trainer's sheet. */
export function Pack({ id }: { id: string }) {
  const loaded = useLoaded(() => readPack(id), [id])
  if (!may('createSeatLinks')) return null
  return (
    <View
      title={say('lead.pack')}
      over={
        <a href={href('sessions', id)}>
          ← {loaded.data.value?.briefing.name ?? say('lead.session')}
        </a>
      }
    >
      <Await loaded={loaded}>
        {(pack) => (
          <StoryLanguage.Provider value={pack.briefing.lang ?? ''}>
            <div class="stack pack">
              {['completed', 'cancelled'].includes(pack.briefing.status) ? (
                <p class="unprinted">
                  <Print />
                </p>
              ) : (
                <Links id={id} pack={pack} onChange={loaded.load} />
              )}
              <Situation session={pack.session} briefing={pack.briefing} />
              {pack.places.map((place) => (
                <Card
                  key={place._id}
                  place={place}
                  briefing={pack.briefing}
                  link={pack.links.find((one) => one.assignment_id === place._id)}
                  made={pack.working.find((one) => one.assignment_id === place._id)}
                />
              ))}
              {pack.briefing.facilitator && <Documents {...pack.briefing.facilitator} />}
              {pack.briefing.facilitator && (
                <TrainerSheet observer={pack.briefing.observer} {...pack.briefing.facilitator} />
              )}
            </div>
          </StoryLanguage.Provider>
        )}
      </Await>
    </View>
  )
}
