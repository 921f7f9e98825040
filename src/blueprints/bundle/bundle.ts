import type { Models } from '../catalogue/entries.js'

export interface BundleMessage {
  sender: string
  content: string
  offset_hours: number
  thread_replies: {
    sender: string
    content: string
    offset_minutes: number
    metadata: Record<string, unknown>
  }[]
  metadata: Record<string, unknown>
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
