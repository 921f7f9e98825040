import { Story } from '../../shared/room/story.js'
import { readBlueprints, readSetups } from '../calls/scenarios.js'
import { Await, useLoaded } from '../elements/loaded.js'
import { href } from '../router.js'
import { View } from '../view.js'
import { say } from '../words/words.js'

const read = async () => {
  const [blueprints, setups] = await Promise.all([readBlueprints(), readSetups()])
  return { blueprints, setups }
}

/** The scenarios of the catalogue, to choose one. */
export function Scenarios() {
  const loaded = useLoaded(read)
  return (
    <View title={say('lead.scenarios')}>
      <p class="lead-in">{say('lead.scenariosWhy')}</p>
      <Await loaded={loaded}>
        {({ blueprints, setups }) => (
          <ul class="cards">
            {blueprints.map((one) => (
              <li key={one.scenario_type} class="card stack scenario-card">
                <div class="row between">
                  <h2>
                    <Story as="a" lang={one.lang} href={href('scenarios', one.scenario_type)}>
                      {one.label}
                    </Story>
                  </h2>
                  {setups.has(one.scenario_type) && (
                    <span class="chip good">{say('lead.setUp')}</span>
                  )}
                </div>
                <Story as="p" lang={one.lang}>
                  {one.description}
                </Story>
                <p class="muted small">
                  {one.duration_minutes !== null && (
                    <>{say('lead.drillOf', { minutes: one.duration_minutes })} · </>
                  )}
                  {say('lead.characters', { count: one.cast_size })}
                  {one.participant_roles.length > 0 && (
                    <> · {say('lead.roles', { count: one.participant_roles.length })}</>
                  )}
                </p>
              </li>
            ))}
          </ul>
        )}
      </Await>
    </View>
  )
}
