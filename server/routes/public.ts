/** Registering a company, and what brings those in who cannot sign in yet, or any more. */
import type { ParsedInputOf } from '#contract/endpoint.ts'
import {
  checkReset,
  registerCompany as register,
  resendActivationMail,
  resetPassword as reset,
  sendResetMail,
} from '#contract/public.ts'
import type { SignupValues } from '#domain/accounts/signup.ts'
import { procedureHandler, type Handler } from '#server/http/route-handler.ts'
import { forgetPassword, resetPassword, whoResets } from '#server/use-cases/accounts/reset-password.ts'
import { registerCompany, resendActivation } from '#server/use-cases/accounts/register-company.ts'

export const visitors: Handler[] = [
  procedureHandler(register, async ({ app, address, requestId, language }, { body }) => {
    const from = { address, requestId, language: body.language ?? language }
    return { body: { email: await registerCompany(app, typedIn(body), from) } }
  }),

  procedureHandler(resendActivationMail, async ({ app, address, requestId, language }, { body }) => {
    await resendActivation(app, body, { address, requestId, language })
    return { body: null }
  }),

  procedureHandler(sendResetMail, async ({ app, address }, { body }) => {
    await forgetPassword(app, { companyCode: body.companyCode.trim(), email: body.userEmail.trim() }, { address })
    return { body: null }
  }),

  procedureHandler(checkReset, async ({ app }, { query }) => {
    await whoResets(app, query.otk)
    return { body: { code: 'OK' } as const }
  }),

  procedureHandler(reset, async ({ app, requestId }, { body }) => {
    await resetPassword(app, { key: body.otk, password: body.pwd, requestId })
    return { body: { code: 'OK' } as const }
  }),
]

/** As the form has it: what was left out is empty. */
function typedIn({ language: _said, user_title, ...body }: ParsedInputOf<typeof register>['body']): SignupValues {
  const none = { country: '', province: '', city: '', addr1: '', addr2: '', addr3: '', email: '', website: '' }
  const given = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined))
  return { ...none, confirmPwd: '', ...given, user_title: String(user_title) } as SignupValues
}
