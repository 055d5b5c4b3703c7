import '#ui/icons/app-icons.ts'
import '#features/accounts/factor-words.ts'
import '#features/accounts/factors.css'
import { lazy, Suspense, useState } from 'react'
import type { SecondStep as Step } from '#contract/factors.ts'
import type { Problem } from '#contract/problem.ts'
import { useDispatch } from '#state/hooks.ts'
import { Button } from '#ui/display/Button.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { Skeleton } from '#ui/page/Skeleton.tsx'
import { useTranslation } from 'react-i18next'
import { AccountCard } from '#features/accounts/components/AccountCard.tsx'
import { ProveForm } from '#features/accounts/components/VerifyIdentityForm.tsx'
import { enterWith, type Given } from '#features/accounts/factors-api.ts'

const Enrol = lazy(async () => ({ default: (await import('#features/accounts/components/Enrol.tsx')).Enrol }))

/** Behind the right password: the second factor, or setting up the first one. What was typed before stays in the login. */
export function SecondStep({ step, account, onBack }: { step: Step; account: string; onBack: () => void }) {
  const { t } = useTranslation('factors')
  const dispatch = useDispatch()
  const [over, setOver] = useState<Problem | null>(null)
  async function enter(given: Given): Promise<Problem | null> {
    const { password: _never, ...second } = given
    const result = await dispatch(enterWith({ mfa_token: step.mfa_token, ...second }))
    if (result.kind !== 'problem') return null
    // The step before has to be done again: nothing typed here could help.
    if (result.problem.code === 'MFA_EXPIRED') setOver(result.problem)
    return result.problem
  }
  const back = (
    <Button kind="plain" onClick={onBack}>
      {t('step.back')}
    </Button>
  )
  if (over)
    return (
      <AccountCard title={t('step.title')}>
        <ProblemNote problem={{ ...over, requestId: null }} focus>
          <Button onClick={onBack}>{t('step.back')}</Button>
        </ProblemNote>
      </AccountCard>
    )
  if (step.enrol)
    return (
      <AccountCard title={t('enrol.title')} intro={t('enrol.text')} below={back}>
        <Suspense fallback={<Skeleton lines={4} />}>
          <Enrol mfaToken={step.mfa_token} account={account} onEnter={() => enter({})} />
        </Suspense>
      </AccountCard>
    )
  return (
    <AccountCard title={t('step.title')} intro={t('step.text', { account })}>
      <ProveForm proving={step} onGive={enter} submit={t('step.submit')}>
        {back}
      </ProveForm>
    </AccountCard>
  )
}
