/** Texts about the faults of services. A value that only a newer server knows gets a general text. */
import type { ServiceRow } from '#contract/services.ts'
import { findMessage, i18n } from '#ui/i18n/messages.ts'

type ServiceFault = NonNullable<ServiceRow['fault']>

export const formatFault = (fault: ServiceFault): string =>
  findMessage('services', `fault.${fault}`) ?? i18n.t('fault.failed', { ns: 'services' })

/** Returns what to do. The provider's staff can do more than customers. */
export const formatAdvice = (fault: ServiceFault, isForStaff: boolean): string =>
  (isForStaff ? findMessage('services', `staffAdvice.${fault}`) : null) ??
  findMessage('services', `advice.${fault}`) ??
  i18n.t(isForStaff ? 'staffAdvice.failed' : 'advice.failed', { ns: 'services' })

/** Returns what to do after a new version was given up because of this fault. */
export const formatGivenUpAdvice = (fault: ServiceFault, isForStaff: boolean): string =>
  (isForStaff ? findMessage('services', `givenUp.staffAdvice.${fault}`) : null) ??
  findMessage('services', `givenUp.advice.${fault}`) ??
  i18n.t(isForStaff ? 'givenUp.staffAdvice.other' : 'givenUp.advice.other', { ns: 'services' })
