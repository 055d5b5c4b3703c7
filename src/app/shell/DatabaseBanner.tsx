import { useTranslation } from 'react-i18next'
import { createLocalProblem, type Problem } from '#contract/problem.ts'
import { useConnection } from '#state/use-store.ts'
import { Button } from '#ui/display/Button.tsx'
import { formatProblem } from '#ui/i18n/problem-messages.ts'
import { Icon } from '#ui/icons/Icon.tsx'

const problemCodes = { silent: 'STORAGE_SILENT', lost: 'STORAGE_LOST' } as const

export const getDatabaseProblem = (databaseState: 'ready' | keyof typeof problemCodes): Problem | undefined =>
  databaseState === 'ready' ? undefined : createLocalProblem(problemCodes[databaseState])

export function DatabaseBanner() {
  const { t } = useTranslation('shell')
  const { databaseState } = useConnection()
  const problem = getDatabaseProblem(databaseState)
  if (!problem) return null
  return (
    <div className="update lost" role="alert">
      <p>
        <Icon name="alert" />
        <span>{formatProblem(problem)}</span>
      </p>
      <Button icon="refresh" onClick={() => location.reload()}>
        {t('reload')}
      </Button>
    </div>
  )
}
