import '#features/accounts/factor-words.ts'
import { lazy, Suspense, useState } from 'react'
import { getUserFactors } from '#contract/factors.ts'
import { Button } from '#ui/display/Button.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { useTranslation } from 'react-i18next'
import type { FactorAction } from '#features/accounts/components/FactorDialog.tsx'
import { useOnlineResponse } from '#state/use-online-response.ts'

/** Loaded on demand: few users who open a colleague's drawer need it. */
const LazyFactorDialog = lazy(async () => ({
  default: (await import('#features/accounts/components/FactorDialog.tsx')).FactorDialog,
}))

/** Lets an admin reset the factors of a colleague who lost the phone and the recovery codes. Online only. */
export function ColleagueFactors({ id, name }: { id: number; name: string }) {
  const { t } = useTranslation('factors')
  const { response: factors, problem, reload } = useOnlineResponse(getUserFactors, { params: { id } })
  const [action, setAction] = useState<FactorAction | null>(null)
  const close = (isChanged: boolean) => {
    setAction(null)
    if (isChanged) void reload()
  }
  return (
    // The dialog's form is separate from the drawer's form, but its submit event bubbles up to the drawer.
    <fieldset className="user-group" onSubmit={(event) => event.stopPropagation()}>
      <legend>{t('own.title')}</legend>
      <ProblemNote problem={problem} onRetry={() => void reload()} />
      {factors?.factors === 0 && (
        <p className="field-help">{t(factors.required ? 'colleague.pending' : 'colleague.off')}</p>
      )}
      {factors && factors.factors > 0 && (
        <>
          <p className="field-help">{t('colleague.text')}</p>
          <Button
            aria-haspopup="dialog"
            onClick={() => setAction({ kind: 'reset', id, name, isRequired: factors.required !== null })}
          >
            {t('colleague.reset')}
          </Button>
        </>
      )}
      <Suspense fallback={null}>{action && <LazyFactorDialog action={action} onClose={close} />}</Suspense>
    </fieldset>
  )
}
