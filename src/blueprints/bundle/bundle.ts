import type { Schema } from '../../contract.js'
import type { Models } from '../catalogue/entries.js'

interface BundlePost {
  /** The key of a character in the bundle. */
  sender: string
  content: string
  metadata: Schema<'PreparedMetadata'>
}

export interface BundleReply extends BundlePost {
  offset_minutes: number
}

export interface BundleMessage extends BundlePost {
  offset_hours: number
  thread_replies: BundleReply[]
}

export interface BundleCharacter {
  key: string
  username: string
  full_name: string
  avatar_url: null
  bio: string
  education: {
    degree: string
    field_of_study: string
    university: string
    graduation_year: string
  }[]
  certifications: { name: string; year: string; issuer: string }[]
  hobbies: string[]
  career_goals: {
    dream_job: string
    experience_level: string
    career_goal: string
    current_role: string
    department: string
  }
  metadata: Record<string, unknown>
}

export interface Bundle {
  scenario_type: string
  catalogue_version: string
  models: Models
  team_size: number
  characters: BundleCharacter[]
  channels: { channel_name: string; message_templates: BundleMessage[] }[]
  experiment: { name: string; hypothesis: string; metadata: Record<string, unknown> }
  departments: string[]
  warnings: { field: string; value: string; message: string }[]
}
