/** The sign-up asks for a company in the very form of its profile: here, where both features are known. */
import { Signup } from '#features/accounts/pages/Signup.tsx'
import { CompanyFields } from '#features/company/components/CompanyFields.tsx'

export const SignupRoute = () => <Signup CompanyFields={CompanyFields} />
