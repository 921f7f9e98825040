import { StoryLanguage } from '../../shared/room/story.js'
import { readBlueprint, readSetup, readSetups } from '../calls/scenarios.js'
import { Await, useLoaded } from '../elements/loaded.js'
import { href } from '../router.js'
import { View } from '../view.js'
import { say } from '../words/words.js'
import { About } from './about.js'
import { SetUp } from './set-up.js'

/** One scenario: what people learn with it, and how it is set up. */
export function Scenario({ scenario_type }: { scenario_type: string }) {
  const loaded = useLoaded(async () => {
    const [blueprint, setups] = await Promise.all([readBlueprint(scenario_type), readSetups()])
    const last = setups.get(scenario_type)
    return { blueprint, setup: last && (await readSetup(last._id)) }
  }, [scenario_type])
  return (
    <View
      title={loaded.data.value?.blueprint.label ?? say('lead.scenario')}
      over={<a href={href('scenarios')}>← {say('lead.scenarios')}</a>}
    >
      <Await loaded={loaded}>
        {({ blueprint, setup }) => (
          <div class="halves">
            <StoryLanguage.Provider value={blueprint.lang}>
              <About blueprint={blueprint} />
            </StoryLanguage.Provider>
            <SetUp blueprint={blueprint} setup={setup} onChanged={loaded.load} />
          </div>
        )}
      </Await>
    </View>
  )
}
