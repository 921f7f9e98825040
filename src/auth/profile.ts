import type { Schema } from '../contract.js'
import { jsonb } from '../database/expressions.js'
import { createId } from '../identifiers.js'
import { certificationItem, educationItem, given } from '../users/profile.js'
import { usernameFromEmail } from '../users/username.js'

type Registration = Schema<'Registration'>

/** The first admin of an organization, with what a registration says of the person. */
export function adminFromRegistration(organization_id: string, body: Registration) {
  const email = body.email.trim()
  return {
    organization_id,
    _id: createId(),
    username: usernameFromEmail(email),
    email,
    role: 'admin' as const,
    full_name: `${body.first_name.trim()} ${body.last_name.trim()}`.trim(),
    education: jsonb((body.education ?? []).map(educationItem)),
    certifications: jsonb((body.certifications ?? []).map(certificationItem)),
    hobbies: jsonb(body.hobbies ?? []),
    career_goals: jsonb(
      given({
        dream_job: body.dream_role,
        experience_level: body.experience_level,
        career_goal: body.career_goals,
      }),
    ),
    metadata: jsonb(
      given({
        phone: body.phone,
        location: body.location,
        skills: body.skills,
        experience: body.experience,
      }),
    ),
  }
}
