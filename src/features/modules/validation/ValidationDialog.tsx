import { Icon } from '#ui/icons/Icon.tsx'
import { formatReadingTime } from '#ui/page/business-clock.ts'
import { Dialog } from '#ui/overlay/Dialog.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { Skeleton } from '#ui/page/Skeleton.tsx'
import { useTranslation } from 'react-i18next'
import { type ModuleFaults, type ModuleValidation, useValidation } from '#features/modules/validation/useValidation.ts'
import { joinList } from '#ui/i18n/messages.ts'

/** Shows what the apps of a set of modules lack, with a panel for each kind of fault (contracts 8, M140, M141). */
export function ValidationDialog({ codes, onClose }: { codes: readonly string[]; onClose: () => void }) {
  const { t } = useTranslation('modules')
  const validation = useValidation(codes)
  const hasMissingApps = validation.kind === 'tested' && validation.faults.apps_missing.length > 0
  return (
    <Dialog
      open
      title={hasMissingApps ? t('test.missing') : t('test.title', { count: codes.length })}
      onClose={onClose}
    >
      {validation.kind === 'loading' && <Skeleton lines={3} />}
      {validation.kind === 'problem' && <ProblemNote problem={validation.problem} shouldFocus />}
      {validation.kind === 'notHere' && <p>{t('test.notHere')}</p>}
      {validation.kind === 'tested' && <ValidationResult {...validation} />}
    </Dialog>
  )
}

function ValidationResult({ faults, requiredCodes, asOf }: Extract<ModuleValidation, { kind: 'tested' }>) {
  const { t } = useTranslation('modules')
  return (
    <>
      <FaultPanels faults={faults} />
      {requiredCodes.length > 0 && <p className="field-help">{t('test.along', { codes: joinList(requiredCodes) })}</p>}
      {asOf !== null && <p className="field-help">{t('test.here', { at: formatReadingTime(asOf) })}</p>}
    </>
  )
}

function FaultPanels({
  faults: { apps_missing: missingCodes, apps_loop: loops, apps_incompatible: outdatedApps },
}: {
  faults: ModuleFaults
}) {
  const { t } = useTranslation('modules')
  if (missingCodes.length + loops.length + outdatedApps.length === 0)
    return (
      <p className="module-fine">
        <Icon name="check" /> {t('test.fine')}
      </p>
    )
  return (
    <div className="module-faults">
      {missingCodes.length > 0 && (
        <section>
          <h3>{t('test.missingPanel', { count: missingCodes.length })}</h3>
          <ul>
            {missingCodes.map((code) => (
              <li key={code}>
                <code>{code}</code>
              </li>
            ))}
          </ul>
        </section>
      )}
      {loops.length > 0 && (
        <section>
          <h3>{t('test.loopPanel')}</h3>
          <ul>
            {loops.map((path) => (
              <li key={path.join()}>
                <code>{[...path, path[0]].join(' → ')}</code>
              </li>
            ))}
          </ul>
        </section>
      )}
      {outdatedApps.length > 0 && (
        <section>
          <h3>{t('test.oldPanel')}</h3>
          <table className="module-table">
            <thead>
              <tr>
                <th scope="col">{t('test.app')}</th>
                <th scope="col">{t('test.required')}</th>
              </tr>
            </thead>
            <tbody>
              {outdatedApps.map(({ app_code: appCode, err_data: requirements }) => (
                <tr key={appCode}>
                  <th scope="row">
                    <code>{appCode}</code>
                  </th>
                  <td>{joinList(requirements.map(({ code, version }) => `${code} ${version}`))}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
    </div>
  )
}
