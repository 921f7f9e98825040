import { mostExperiments, readExperiments } from '../calls/experiments.js'
import { Await, useLoaded } from '../elements/loaded.js'
import { OnlyFirst } from '../elements/only-first.js'
import { href } from '../router.js'
import { View } from '../view.js'
import { say, type Word } from '../words/words.js'

/** All experiments. Each setup of a scenario brings one. */
export function Experiments() {
  const loaded = useLoaded(readExperiments)
  return (
    <View title={say('lead.experiments')}>
      <p class="lead-in">{say('lead.experimentsWhy')}</p>
      <Await loaded={loaded}>
        {(experiments) =>
          experiments.length === 0 ? (
            <p class="card">{say('lead.noExperiments')}</p>
          ) : (
            <>
              <ul class="rows card">
                {experiments.map((one) => (
                  <li key={one._id} class="row between">
                    <div>
                      <a class="row-name" href={href('experiments', one._id)}>
                        {one.name ?? say('lead.experiment')}
                      </a>
                      <p class="muted small">{one.hypothesis}</p>
                    </div>
                    <span class="chip">{say(`lead.experimentStatus.${one.status}` as Word)}</span>
                  </li>
                ))}
              </ul>
              <OnlyFirst count={experiments.length} most={mostExperiments} />
            </>
          )
        }
      </Await>
    </View>
  )
}
