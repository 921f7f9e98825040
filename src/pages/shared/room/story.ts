import { type AllHTMLAttributes, createContext, h, type Ref } from 'preact'
import { useContext } from 'preact/hooks'

/** The language of the story around: empty if it is not known. */
export const StoryLanguage = createContext('')

interface StoryProps extends Omit<AllHTMLAttributes<HTMLElement>, 'ref' | 'as'> {
  as?: 'a' | 'button' | 'dd' | 'div' | 'dl' | 'h2' | 'h3' | 'ol' | 'p' | 'section' | 'strong' | 'ul'
  ref?: Ref<HTMLHeadingElement>
}

/** A text of the story, in its language and direction. */
export function Story({ as, ...attributes }: StoryProps) {
  const props: object = { lang: useContext(StoryLanguage), dir: 'auto', ...attributes }
  return h(as ?? 'span', props)
}
