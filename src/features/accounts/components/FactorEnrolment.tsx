import { useState } from 'react'
import type { FactorKind } from '#contract/factors.ts'
import type { CallResult } from '#request/call-results.ts'
import type { AppThunk } from '#state/app-thunk.ts'
import { useAction } from '#state/use-action.ts'
import { Button } from '#ui/display/Button.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { useTranslation } from 'react-i18next'
import { hasPasskeys } from '#features/accounts/passkeys.ts'
import { RecoveryCodes } from '#features/accounts/components/RecoveryCodes.tsx'
import { SetUpApp } from '#features/accounts/components/SetUpApp.tsx'
import { SetUpPasskey } from '#features/accounts/components/SetUpPasskey.tsx'

/** Sets up a required first factor, after the password was accepted and before the sign-in is complete. */
export function FactorEnrolment({
  mfaToken,
  account,
  signIn,
}: {
  mfaToken: string
  account: string
  signIn: () => AppThunk<CallResult<unknown>>
}) {
  const { t } = useTranslation('factors')
  const [kind, setKind] = useState<FactorKind | null>(hasPasskeys() ? null : 'totp')
  const [codes, setCodes] = useState<string[] | null>(null)
  const { run, problem } = useAction(signIn)
  const startSession = () => void run(undefined)
  const setup = { mfa_token: mfaToken, isFirst: true }
  const handleAdded = (recoveryCodes: string[] | null) => (recoveryCodes ? setCodes(recoveryCodes) : startSession())
  if (codes)
    return (
      <>
        <ProblemNote problem={problem} shouldFocus />
        <RecoveryCodes codes={codes} account={account} onDone={startSession} />
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
