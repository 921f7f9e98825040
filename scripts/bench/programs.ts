const service = '../../src/server.js'
const meter = new URL('./sessions/meter.js', import.meta.url).href
/** What can be compared: each a script and what it is told besides what all are. */
export const programs = {
  service: { script: service, environment: {} },
  'metered service': { script: service, environment: { NODE_OPTIONS: `--import ${meter}` } },
  'bare agg': { script: './peers/bare.js', environment: { VARIANT: 'agg' } },
  'bare raw': { script: './peers/bare.js', environment: { VARIANT: 'raw' } },
  'bare text': { script: './peers/bare.js', environment: { VARIANT: 'text' } },
  handwritten: { script: './peers/handwritten.js', environment: {} },
  '1 process': { script: service, environment: { WEB_CONCURRENCY: '1' } },
  '2 processes': { script: service, environment: { WEB_CONCURRENCY: '2' } },
  postgresql: { script: service, environment: {} },
  citus: { script: service, environment: {} },
}

export type SideName = keyof typeof programs
