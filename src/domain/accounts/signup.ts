/** Form values of the registration. Fields are named as in the request (portal 3, 5). */
import { checkFields, checkRequired, type FieldCheck, type FieldProblem } from '#domain/checks/field-checks.ts'
import { checkNewCompany, type CompanyValues } from '#domain/accounts/company-fields.ts'
import { checkConfirmation, checkPassword } from '#domain/accounts/passwords.ts'
import { checkUser, titles } from '#domain/accounts/users.ts'

export interface RegistrantValues {
  user_title: string
  user_name: string
  user_email: string
  user_password: string
  confirmPwd: string
}
export type SignupValues = CompanyValues & RegistrantValues

const checkTitle: FieldCheck = (value) =>
  titles.some((title) => String(title) === value) ? null : { code: 'INVALID_FORMAT' }

export function checkRegistrant(values: RegistrantValues): FieldProblem[] {
  const userProblems = checkUser({ name: values.user_name, email: values.user_email })
  const passwordProblem = checkPassword('user_password', values.user_password)
  const confirmationProblem = checkConfirmation('confirmPwd', values.confirmPwd, values.user_password)
  return [
    ...checkFields({ user_title: values.user_title }, { user_title: [checkRequired, checkTitle] }),
    ...userProblems.map((problem) => ({ ...problem, field: `user_${problem.field}` })),
    ...(passwordProblem ? [passwordProblem] : []),
    ...(confirmationProblem ? [confirmationProblem] : []),
  ]
}

export const checkSignup = (values: SignupValues): FieldProblem[] => [
  ...checkNewCompany(values),
  ...checkRegistrant(values),
]
