import { useState } from 'react'
import type { FactorKind } from '#contract/factors.ts'
import type { Problem } from '#contract/problem.ts'
import { Button } from '#ui/display/Button.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { useTranslation } from 'react-i18next'
import { hasPasskeys } from '#features/accounts/passkeys.ts'
import { RecoveryCodes } from '#features/accounts/components/RecoveryCodes.tsx'
import { SetUpApp } from '#features/accounts/components/SetUpApp.tsx'
import { SetUpPasskey } from '#features/accounts/components/SetUpPasskey.tsx'

/** The first factor of an account that must have one, between its password and everything else. */
export function FactorEnrolment({
  mfaToken,
  account,
  onSignIn: onEnter,
}: {
  mfaToken: string
  account: string
  /** Signs in by what was set up; answers what was wrong. */
  onSignIn: () => Promise<Problem | null>
}) {
  const { t } = useTranslation('factors')
  const [kind, setKind] = useState<FactorKind | null>(hasPasskeys() ? null : 'totp')
  const [codes, setCodes] = useState<string[] | null>(null)
  const [problem, setProblem] = useState<Problem | null>(null)
  const signIn = () => void onEnter().then(setProblem)
  const setup = { mfa_token: mfaToken, isFirst: true }
  const handleAdded = (recoveryCodes: string[] | null) => (recoveryCodes ? setCodes(recoveryCodes) : signIn())
  if (codes)
    return (
      <>
        <ProblemNote problem={problem} shouldFocus />
        <RecoveryCodes codes={codes} account={account} onDone={signIn} />
      </>
    )
  return (
    <>
      {kind === null && (
        <div className="factor-choice">
          <Button icon="device" onClick={() => setKind('totp')}>
            {t('app.choose')}
          </Button>
          <p className="field-help">{t('app.about')}</p>
          <Button icon="key" onClick={() => setKind('passkey')}>
            {t('passkey.choose')}
          </Button>
          <p className="field-help">{t('passkey.about')}</p>
        </div>
      )}
      {kind === 'totp' && <SetUpApp setup={setup} onAdded={handleAdded} />}
      {kind === 'passkey' && <SetUpPasskey setup={setup} onAdded={handleAdded} />}
      {kind !== null && hasPasskeys() && (
        <div className="factor-ways">
          <Button kind="plain" onClick={() => setKind(kind === 'totp' ? 'passkey' : 'totp')}>
            {t(kind === 'totp' ? 'enrol.otherPasskey' : 'enrol.otherApp')}
          </Button>
        </div>
      )}
    </>
  )
}
