/** Endpoints without a session: registration, activation, password reset, the address of a service, images. */
import * as z from 'zod/mini'
import { defineEndpoint } from '#contract/endpoint.ts'
import { line, text } from '#contract/values.ts'
import { language, title } from '#contract/users.ts'

export const resendActivationMail = defineEndpoint({
  name: 'resendActivationMail',
  method: 'POST',
  path: '/public/users/activatemail',
  summary: 'Sends the activation mail again after checking the password',
  access: 'anybody',
  matrix: 'Z-11',
  body: z.object({ username: text(300, 1), password: text(1000, 1) }),
  encoding: 'form',
  output: null,
  offline: 'online',
  secret: true,
})

export const registerCompany = defineEndpoint({
  name: 'registerCompany',
  method: 'POST',
  path: '/public/company',
  summary: 'Registers a company with its first user',
  access: 'anybody',
  matrix: 'Z-11',
  body: z.object({
    code: text(20, 1),
    name: line(100, 1),
    tel: text(40, 1),
    country: z.optional(z.enum(['CN', 'HK'])),
    province: z.optional(line(100)),
    city: z.optional(line(100)),
    addr1: z.optional(line(200)),
    addr2: z.optional(line(200)),
    addr3: z.optional(line(200)),
    email: z.optional(text(254)),
    website: z.optional(text(200)),
    user_title: title,
    user_name: line(100, 1),
    user_email: text(254, 1),
    user_password: text(1000, 1),
    confirmPwd: z.optional(text(1000)),
    /** Language of the mail. If omitted, the language of the request (D68). */
    language: z.optional(language),
  }),
  encoding: 'form',
  output: z.object({ email: z.string() }),
  offline: 'online',
  secret: true,
})

export const checkActivation = defineEndpoint({
  name: 'checkActivation',
  method: 'GET',
  path: '/public/users/activate',
  summary: 'Returns whether an activation link is valid, and whether a password must be set',
  access: 'anybody',
  matrix: 'Z-11',
  query: z.object({ otk: z.optional(text(100)) }),
  output: z.object({ code: z.enum(['OK', 'SET_PASSWORD']) }),
  offline: 'online',
  secret: true,
})

export const activateUser = defineEndpoint({
  name: 'activateUser',
  method: 'POST',
  path: '/public/users/activate',
  summary: 'Activates an account with the key from the mail, and sets the password if the account has none',
  access: 'anybody',
  matrix: 'Z-11',
  body: z.object({ otk: z.optional(text(100)), password: z.optional(text(1000)) }),
  encoding: 'form',
  output: z.object({ code: z.literal('ACTIVATE_OK') }),
  offline: 'online',
  secret: true,
})

export const sendResetMail = defineEndpoint({
  name: 'sendResetMail',
  method: 'POST',
  path: '/public/password/resetmail',
  summary: 'Sends a link to reset the password if the user exists',
  access: 'anybody',
  matrix: 'Z-11',
  body: z.object({ companyCode: text(20, 1), userEmail: text(254, 1) }),
  encoding: 'form',
  output: null,
  offline: 'online',
  secret: true,
})

export const checkReset = defineEndpoint({
  name: 'checkReset',
  method: 'GET',
  path: '/public/password/reset',
  summary: 'Checks whether a password reset link is valid',
  access: 'anybody',
  matrix: 'Z-11',
  query: z.object({ otk: text(100, 1) }),
  output: z.object({ code: z.literal('OK') }),
  offline: 'online',
  secret: true,
})

export const resetPassword = defineEndpoint({
  name: 'resetPassword',
  method: 'POST',
  path: '/public/password/reset',
  summary: 'Sets a new password with the key from the mail',
  access: 'anybody',
  matrix: 'Z-11',
  body: z.object({ pwd: text(1000, 1), otk: text(100, 1) }),
  encoding: 'form',
  output: z.object({ code: z.literal('OK') }),
  offline: 'online',
  secret: true,
})

export const serviceUrl = defineEndpoint({
  name: 'serviceUrl',
  method: 'GET',
  path: '/public/service/url',
  summary: 'Returns the addresses of a hosted service by its code',
  access: 'anybody',
  matrix: 'Z-13',
  query: z.object({ code: text(16, 1) }),
  output: z.object({ url: z.string(), admin_url: z.nullable(z.string()) }),
  offline: 'read',
})

export const getAsset = defineEndpoint({
  name: 'getAsset',
  method: 'GET',
  path: '/public/asset/:id',
  summary: 'Returns an image by its random id',
  access: 'anybody',
  matrix: 'Z-06',
  // The schema is not stricter, so that a malformed id gives NOT_FOUND, like an unknown one.
  params: z.object({ id: text(200, 1) }),
  output: z.unknown(),
  offline: 'read',
  responseType: 'bytes',
})
