/** Where each of the first steps is done: on a page of the portal, or by settings of the server. */
import type { SetupStep } from '#contract/accounts.ts'
import { type AccessRule, type Caller, isAllowed } from '#domain/access.ts'

type StepName = SetupStep['name']

/** `document`: the file of the operator's documentation that explains the settings, and its section. */
export type StepTarget =
  | { path: string; requiredRole: AccessRule }
  | { settings: readonly string[]; document: string; section: string }

export const stepTargets: Record<StepName, StepTarget> = {
  address: { path: '/app/profile/company', requiredRole: 'admin' },
  colleague: { path: '/app/user?user=new', requiredRole: 'admin' },
  twoStep: { path: '/app/profile/security', requiredRole: 'user' },
  contract: { path: '/app/contract/new', requiredRole: 'order' },
  profile: { path: '/app/profile/company', requiredRole: 'admin' },
  prices: { path: '/app/m18/price', requiredRole: 'providerAdmin' },
  mail: { settings: ['SMTP_URL', 'MAIL_FROM'], document: 'docs/operating.md', section: 'Mail' },
  payment: { settings: ['STRIPE_SECRET_KEY', 'ALIPAY_APP_ID'], document: 'docs/operating.md', section: 'Payment' },
  image: {
    settings: ['HOSTING=docker', 'SERVICE_IMAGE'],
    document: 'docs/production.md',
    section: 'Hosted services in a Docker Swarm',
  },
}

/** Leaves out steps of a newer server, and steps that the caller may not do. */
export const listAllowedSteps = (steps: readonly SetupStep[], caller: Caller): SetupStep[] =>
  steps.filter(({ name }) => {
    const target: StepTarget | undefined = stepTargets[name]
    return target !== undefined && (!('path' in target) || isAllowed(target.requiredRole, caller))
  })
