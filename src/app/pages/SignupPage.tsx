/** The sign-up asks for a company in the very form of its profile: here, where both rooms are known. */
import { useEffect } from 'react'
import { keepPart } from '#app/pwa/optional-chunks.ts'
import { Signup } from '#features/accounts/pages/Signup.tsx'
import { CompanyFields } from '#features/company/components/CompanyFields.tsx'

export function SignupPage() {
  // What was typed survives a reload without a line, so the page itself must.
  useEffect(() => keepPart('signup'), [])
  return <Signup CompanyFields={CompanyFields} />
}
