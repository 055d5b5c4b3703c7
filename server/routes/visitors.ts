/** Registering a company, and what brings those in who cannot sign in yet, or any more. */
import type { InputOf } from '#contract/endpoint.ts'
import {
  registerCompany as register,
  resendActivationMail,
  resetPassword as reset,
  sendResetMail,
} from '#contract/visitors.ts'
import type { SignupValues } from '#domain/signup.ts'
import { conduct, type Handler } from '#server/routes/handlers.ts'
import { forgetPassword, resetPassword } from '#server/services/recovery.ts'
import { registerCompany, resendActivation } from '#server/services/registering.ts'

export const visitors: Handler[] = [
  conduct(register, async ({ house, address, requestId, language }, { body }) => {
    const from = { address, requestId, language: body.language ?? language }
    return { body: { email: await registerCompany(house, typedIn(body), from) } }
  }),

  conduct(resendActivationMail, async ({ house, address, requestId, language }, { body }) => {
    await resendActivation(house, body, { address, requestId, language })
    return { body: null }
  }),

  conduct(sendResetMail, async ({ house, address }, { body }) => {
    await forgetPassword(house, { companyCode: body.companyCode.trim(), email: body.userEmail.trim() }, { address })
    return { body: null }
  }),

  conduct(reset, async ({ house, address, requestId }, { body }) => {
    await resetPassword(house, { key: body.otk, password: body.pwd, address, requestId })
    return { body: { code: 'OK' } as const }
  }),
]

/** As the form has it: what was left out is empty. */
function typedIn({ language: _said, user_title, ...body }: InputOf<typeof register>['body']): SignupValues {
  const none = { country: '', province: '', city: '', addr1: '', addr2: '', addr3: '', email: '', website: '' }
  const given = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined))
  return { ...none, confirmPwd: '', ...given, user_title: String(user_title) } as SignupValues
}
