import type { ComponentChildren } from 'preact'
import type { Schema } from '../forms/schema.js'
import { say, storyLanguage } from '../words/words.js'
import { Prose } from './prose.js'

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
      <Prose text={place} lang={storyLanguage} />
      <h3>{say('situation.stakes')}</h3>
      <Prose text={stakes} lang={storyLanguage} />
      <h3>{say('situation.people')}</h3>
      <Prose text={people} lang={storyLanguage} />
      {children}
      {terms.length > 0 && (
        <>
          <h3>{say('situation.terms')}</h3>
          <dl class="terms" lang={storyLanguage}>
            {terms.map(({ term, meaning }) => (
              <div key={term}>
                <dt>{term}</dt>
                <dd>{meaning}</dd>
              </div>
            ))}
          </dl>
        </>
      )}
    </>
  )
}
