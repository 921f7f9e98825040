import type { Schema } from '../contract.js'
import { createId } from '../formats/identifiers.js'
import { addressIn } from '../identity/email.js'
import type { FirstAdmin } from '../users/admin-queries.js'
import { certificationItem, educationItem, given } from '../users/profile.js'
import { usernameFromEmail } from '../users/username.js'

type Registration = Schema<'Registration'>

/** The first admin of an organization, with the profile in the registration. */
export function adminFromRegistration(organization_id: string, body: Registration): FirstAdmin {
  const email = addressIn(body.email)
  return {
    organization_id,
    _id: createId(),
    username: usernameFromEmail(email),
    email,
    full_name: `${body.first_name.trim()} ${body.last_name.trim()}`.trim(),
    education: JSON.stringify((body.education ?? []).map(educationItem)),
    certifications: JSON.stringify((body.certifications ?? []).map(certificationItem)),
    hobbies: JSON.stringify(body.hobbies ?? []),
    career_goals: JSON.stringify(
      given({
        dream_job: body.dream_role,
        experience_level: body.experience_level,
        career_goal: body.career_goals,
      }),
    ),
    metadata: JSON.stringify(
      given({
        phone: body.phone,
        location: body.location,
        skills: body.skills,
        experience: body.experience,
      }),
    ),
  }
}
