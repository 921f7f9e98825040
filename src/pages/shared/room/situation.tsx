import type { ComponentChildren } from 'preact'
import type { Schema } from '../forms/schema.js'
import { say } from '../words/words.js'
import { Prose } from './prose.js'
import { Story } from './story.js'

interface SituationProps {
  situation: Schema<'Situation'>
  /** What comes below the words about the people. */
  children?: ComponentChildren
}

/** What participants read before the start: the place, the people, what is at stake, and its words. */
export function SituationParts({ situation, children }: SituationProps) {
  const { place, people, stakes, terms } = situation
  return (
    <>
      <h3>{say('situation.place')}</h3>
      <Prose text={place} isOfStory />
      <h3>{say('situation.stakes')}</h3>
      <Prose text={stakes} isOfStory />
      <h3>{say('situation.people')}</h3>
      <Prose text={people} isOfStory />
      {children}
      {terms.length > 0 && (
        <>
          <h3>{say('situation.terms')}</h3>
          <Story as="dl" class="terms">
            {terms.map(({ term, meaning }) => (
              <div key={term}>
                <dt>{term}</dt>
                <dd>{meaning}</dd>
              </div>
            ))}
          </Story>
        </>
      )}
    </>
  )
}
