import '#features/accounts/factor-words.ts'
import { type ComponentProps, lazy, Suspense, useCallback, useEffect, useState } from 'react'
import type { OutputOf } from '#contract/endpoint.ts'
import type { getUserFactors } from '#contract/factors.ts'
import type { Problem } from '#contract/problem.ts'
import { useDispatch } from '#state/use-store.ts'
import { Button } from '#ui/display/Button.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { useTranslation } from 'react-i18next'
import { readUserFactors } from '#features/accounts/factors-api.ts'
import type { FactorDialog } from '#features/accounts/components/FactorDialog.tsx'

/** Few of those who open a colleague's drawer need it. */
const LazyFactorDialog = lazy(async () => ({
  default: (await import('#features/accounts/components/FactorDialog.tsx')).FactorDialog,
}))
type RequestedFactorAction = ComponentProps<typeof FactorDialog>['action']

/** For an admin whose colleague has lost the phone and the codes. Online, and never from the device. */
export function ColleagueFactors({ id, name }: { id: number; name: string }) {
  const { t } = useTranslation('factors')
  const dispatch = useDispatch()
  const [factors, setFactors] = useState<OutputOf<typeof getUserFactors> | null>(null)
  const [problem, setProblem] = useState<Problem | null>(null)
  const [action, setAction] = useState<RequestedFactorAction | null>(null)
  const readFactors = useCallback(async () => {
    const result = await dispatch(readUserFactors(id))
    if (result.kind === 'fresh') setFactors(result.output)
    setProblem(result.kind === 'problem' ? result.problem : null)
  }, [dispatch, id])
  useEffect(() => void readFactors(), [readFactors])
  const close = (isChanged: boolean) => {
    setAction(null)
    if (isChanged) void readFactors()
  }
  return (
    // The dialog's form is no part of the drawer's, though events come up to it.
    <fieldset className="user-group" onSubmit={(event) => event.stopPropagation()}>
      <legend>{t('own.title')}</legend>
      <ProblemNote problem={problem} onRetry={() => void readFactors()} />
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
