import type { BundleMessage } from '../../../src/blueprints/bundle/compose.js'
import { lapsed } from '../../../src/blueprints/catalogue/decisions/conditions.js'
import type { DecisionPoint } from '../../../src/blueprints/catalogue/entries.js'
import { byTime, namesIn, type Post, postsOf } from '../bundle-posts.js'
import { minutesText } from './decision-cards.js'
import { dependenceText, dependsOn, isSaid } from './dependence.js'
import { html, type Markup } from './html.js'
import type { Pack } from './pack.js'

type Reply = BundleMessage['thread_replies'][number]
type Said = Pick<Reply, 'metadata'>

/** What is said after each option, and what is said if no one decides. */
export function outcomePages(pack: Pack): Markup | undefined {
  const { decision_points = [] } = pack.scenario
  if (decision_points.length === 0) return undefined
  return html`<section class="trainers outcomes">
<h2>What follows each option</h2>
${decision_points.map((decision) => decisionPart(pack, decision))}
</section>`
}

function decisionPart(pack: Pack, decision: DecisionPoint): Markup {
  const { question, options, deadline_minutes, fallback_option, fallback } = decision
  const posts = postsOf(pack.bundle, pack.arm).sort(byTime)
  const last = options.find(({ option }) => option === fallback_option)
  const lapsing = posts.filter(({ metadata }) => metadata.fallback_for === decision.beat)
  return html`<h3>${question}</h3>
${options.map(
  ({ option, label, cost }) => html`<div class="outcome">
<h4>If they choose: ${label}</h4>
<p>It costs: ${cost}</p>
${saidWith(pack, decision, option, posts)}
</div>`,
)}
<div class="outcome">
<h4>If no one decides within ${minutesText(deadline_minutes)}: ${last?.label ?? fallback_option}</h4>
<p>${fallback} The story then goes on as after that option.</p>
${lapsing.map((post) => {
  const replies = post.thread_replies.filter(({ metadata }) => isSaid(metadata, decision, lapsed))
  return postText(pack, decision, post, replies)
})}
</div>`
}

/** What is said with one option and not with all. */
function saidWith(pack: Pack, decision: DecisionPoint, option: string, posts: Post[]): Markup[] {
  const isIn = ({ metadata }: Said) => isSaid(metadata, decision, option)
  const depends = ({ metadata }: Said) => dependsOn(metadata, decision)
  const all = posts.filter((post) => !post.metadata.fallback_for && isIn(post))
  const around = all.filter((post) => !depends(post))
  return all.flatMap((post) => {
    const replies = post.thread_replies.filter(isIn)
    if (depends(post)) return [postText(pack, decision, post, replies)]
    return replies.filter(depends).flatMap((reply) => {
      const above = around.filter((one) => one.thread_replies.some((other) => isSame(reply, other)))
      return above[0] === post ? [replyText(pack, decision, reply, above)] : []
    })
  })
}

/** Whether two replies are one, which several variants of a post have. */
const isSame = (one: Reply, other: Reply): boolean =>
  one.sender === other.sender &&
  one.content === other.content &&
  one.metadata.drill_minute === other.metadata.drill_minute

function postText(pack: Pack, decision: DecisionPoint, post: Post, replies: Reply[]): Markup {
  const names = namesIn(pack.bundle)
  const { artefact } = post.metadata
  return html`<div class="said">
<p><b>${when(post)}, ${names.get(post.sender)}</b> in #${post.channel}${alsoNeeded(pack, decision, post)}</p>
<p class="text">${post.content}</p>
${artefact && html`<p>With the document “${artefact.title}”</p>`}
${
  replies.length > 0 &&
  html`<ul class="replies">${replies.map(
    (reply) =>
      html`<li class="text"><b>${names.get(reply.sender)}</b>${alsoNeeded(pack, decision, reply)}: ${reply.content}</li>`,
  )}</ul>`
}
</div>`
}

/** A reply alone, with the variants of the post above it. */
function replyText(pack: Pack, decision: DecisionPoint, reply: Reply, above: Post[]): Markup {
  const names = namesIn(pack.bundle)
  const [post] = above
  const to = names.get(post?.sender ?? '')
  return html`<div class="said">
<p><b>${when(reply)}, ${names.get(reply.sender)}</b> in #${post?.channel}, to ${to}${alsoNeeded(pack, decision, ...above)}${alsoNeeded(pack, decision, reply)}</p>
<p class="text">${reply.content}</p>
</div>`
}

const when = ({ metadata: { kind, drill_minute } }: Said): string => {
  if (kind === 'acknowledgement') return 'At once'
  return drill_minute === undefined ? 'Before the start' : `Minute ${drill_minute}`
}

/** On which other decisions something depends. */
function alsoNeeded(
  { scenario: { decision_points = [] } }: Pack,
  decision: DecisionPoint,
  ...said: Said[]
): string {
  const others = decision_points.filter(({ beat }) => beat !== decision.beat)
  const text = dependenceText(
    said.map(({ metadata }) => metadata),
    others,
  )
  return text && `, ${text}`
}
