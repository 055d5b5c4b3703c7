import { Signup } from '#features/accounts/pages/Signup.tsx'
import { CompanyFields } from '#features/company/components/CompanyFields.tsx'

export const SignupRoute = () => <Signup CompanyFields={CompanyFields} />
