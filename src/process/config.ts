import { Ajv, type ErrorObject } from 'ajv'
import leven from 'leven'
import { readDefaults } from '../limits.js'
import {
  environmentSchema,
  formats,
  integers,
  isProduction,
  names,
  readProxies,
  rules,
  splitList,
} from './settings.js'

interface Environment {
  HOST: string
  PORT: number
  DATABASE_URL?: string
  DATABASE_MIGRATION_URL?: string
  DATA_DIR: string
  CATALOGUE_DIR?: string
  DATABASE_POOL_MAX: number
  DATABASE_PREPARED_STATEMENTS: 'on' | 'off'
  JWT_SECRET?: string
  AUDIT_SECRET?: string
  ACCESS_TOKEN_TTL: number
  REFRESH_TOKEN_TTL: number
  SMTP_URL?: string
  MAIL_FROM?: string
  APP_URL?: string
  MAIL_TO_LOG: 'on' | 'off'
  CORS_ORIGINS?: string
  TRUST_PROXY: string
  LOG_LEVEL: string
  BODY_LIMIT: number
  RATE_LIMIT: 'on' | 'off'
  REGISTRATION: 'open' | 'off'
  REGISTRATIONS_PER_DAY: number
  DEFAULT_LIMITS?: string
  PAGES: 'on' | 'off'
  WEB_CONCURRENCY: number
  DRAIN_SECONDS: number
}

export type Config = ReturnType<typeof readConfig>

/**
 * Reads the settings of the service from the environment. An empty variable counts as unset. Throws one
 * error with all faults, and without any value.
 */
export function readConfig(environment: NodeJS.ProcessEnv = process.env) {
  const env = parseEnvironment(environment)
  return {
    host: env.HOST,
    port: env.PORT,
    databaseUrl: env.DATABASE_URL ?? null,
    databaseMigrationUrl: env.DATABASE_MIGRATION_URL ?? null,
    dataDir: env.DATA_DIR,
    catalogueDir: env.CATALOGUE_DIR ?? null,
    databasePoolMax: env.DATABASE_POOL_MAX,
    databasePreparedStatements: env.DATABASE_PREPARED_STATEMENTS === 'on',
    jwtSecrets: env.JWT_SECRET === undefined ? null : splitList(env.JWT_SECRET),
    auditSecrets: env.AUDIT_SECRET === undefined ? null : splitList(env.AUDIT_SECRET),
    accessTokenTtl: env.ACCESS_TOKEN_TTL,
    refreshTokenTtl: env.REFRESH_TOKEN_TTL,
    smtpUrl: env.SMTP_URL ?? null,
    mailFrom: env.MAIL_FROM ?? '',
    appUrl: (env.APP_URL ?? '').replace(/\/+$/, ''),
    mailToLog: env.MAIL_TO_LOG === 'on',
    corsOrigins: env.CORS_ORIGINS === undefined ? [] : splitList(env.CORS_ORIGINS),
    trustProxy: readProxies(env.TRUST_PROXY),
    logLevel: env.LOG_LEVEL,
    bodyLimit: env.BODY_LIMIT,
    rateLimit: env.RATE_LIMIT === 'on',
    registrationIsOpen: env.REGISTRATION === 'open',
    registrationsPerDay: env.REGISTRATIONS_PER_DAY,
    defaultLimits: readDefaults(env.DEFAULT_LIMITS ?? '{}') ?? {},
    pages: env.PAGES === 'on',
    webConcurrency: env.WEB_CONCURRENCY,
    drainSeconds: env.DRAIN_SECONDS,
  }
}

/** The environment has faults. The message names them all, so no reader needs the stack. */
export class ConfigError extends Error {}

function parseEnvironment(environment: NodeJS.ProcessEnv): Environment {
  // The schema is ours, and to check it would take as long as to compile it.
  const options = { allErrors: true, useDefaults: true, verbose: true, formats }
  const ajv = new Ajv({ ...options, meta: false, validateSchema: false })
  const validate = ajv.compile<Environment>({ ...environmentSchema, $async: false })
  const given = Object.entries(environment).filter(([, text]) => text !== '')
  const values = Object.fromEntries(given.map(([name, text]) => [name, read(name, text)]))
  const broken = rules.filter(({ isBroken }) => isBroken(values))
  const data: unknown = values
  if (validate(data) && broken.length === 0) return data

  const faults = new Map(broken.map(({ name, fault }) => [`${name}`, `${name}: ${fault}`]))
  for (const error of validate.errors ?? [])
    faults.set(error.instancePath.slice(1), describe(error))
  const all = [...faults.values(), ...findMisspellings(environment)]
  const where = isProduction(environment) ? ` ${inProduction}` : ''
  throw new ConfigError(`The configuration is not valid${where}:\n  ${all.join('\n  ')}`)
}

/** Reads an integer variable as a number if it has only digits; returns any other text as it is. */
function read(name: string, text = ''): string | number {
  return integers.includes(name) && /^-?\d+$/.test(text) ? Number(text) : text
}

function describe({ instancePath, keyword, message, params, parentSchema }: ErrorObject): string {
  const allowed = keyword === 'enum' ? `: ${params.allowedValues.join(', ')}` : ''
  return `${instancePath.slice(1)}: ${parentSchema?.description ?? `${message}${allowed}`}`
}

const inProduction = 'in production (NODE_ENV is neither development nor test)'

/** What an operator should know about an environment that is valid. */
export function findWarnings(environment: NodeJS.ProcessEnv = process.env): string[] {
  const isMeant = environment.NODE_ENV === 'production' || !isProduction(environment)
  const misspellings = findMisspellings(environment)
  return isMeant ? misspellings : [`The service runs ${inProduction}`, ...misspellings]
}

/** Finds variables that look like a misspelt setting that is not set. */
export function findMisspellings(environment: NodeJS.ProcessEnv = process.env): string[] {
  const unset = names.filter((name) => !environment[name])
  return Object.keys(environment)
    .filter((name) => environment[name] && !names.includes(name))
    .flatMap((name) => {
      const meant = unset.find((one) => isSlip(one, name))
      return meant ? [`${name}: is not a setting; ${meant} is`] : []
    })
}

/** Whether two letters are swapped, or one or two are wrong in a long name. */
function isSlip(meant: string, name: string): boolean {
  const distance = leven(meant, name)
  const isSwap = distance === 2 && [...meant].sort().join() === [...name].sort().join()
  return isSwap || (meant.length >= 8 && distance <= (meant.length > 8 ? 2 : 1))
}
