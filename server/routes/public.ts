import type { ParsedInputOf } from '#contract/endpoint.ts'
import {
  checkReset,
  registerCompany as register,
  resendActivationMail,
  resetPassword as reset,
  sendResetMail,
} from '#contract/public.ts'
import type { SignupValues } from '#domain/accounts/signup.ts'
import { createProcedureHandler, type EndpointHandler } from '#server/http/route-handler.ts'
import { requestPasswordReset, resetPassword, readResetCredential } from '#server/use-cases/accounts/reset-password.ts'
import { registerCompany, resendActivation } from '#server/use-cases/accounts/register-company.ts'

export const publicHandlers: EndpointHandler[] = [
  createProcedureHandler(register, async ({ app, address, requestId, language }, { body }) => {
    const origin = { address, requestId, language: body.language ?? language }
    return { body: { email: await registerCompany(app, toSignupValues(body), origin) } }
  }),

  createProcedureHandler(resendActivationMail, async ({ app, address, requestId, language }, { body }) => {
    await resendActivation(app, body, { address, requestId, language })
    return { body: null }
  }),

  createProcedureHandler(sendResetMail, async ({ app, address }, { body }) => {
    await requestPasswordReset(app, { companyCode: body.companyCode.trim(), email: body.userEmail.trim() }, { address })
    return { body: null }
  }),

  createProcedureHandler(checkReset, async ({ app }, { query }) => {
    await readResetCredential(app, query.otk)
    return { body: { code: 'OK' } as const }
  }),

  createProcedureHandler(reset, async ({ app, requestId }, { body }) => {
    await resetPassword(app, { key: body.otk, password: body.pwd, requestId })
    return { body: { code: 'OK' } as const }
  }),
]

/** Returns the values of the sign-up form. A missing field becomes an empty string. */
function toSignupValues({
  language: _language,
  user_title,
  ...body
}: ParsedInputOf<typeof register>['body']): SignupValues {
  const emptyFields = { country: '', province: '', city: '', addr1: '', addr2: '', addr3: '', email: '', website: '' }
  const presentFields = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined))
  return { ...emptyFields, confirmPwd: '', ...presentFields, user_title: String(user_title) } as SignupValues
}
