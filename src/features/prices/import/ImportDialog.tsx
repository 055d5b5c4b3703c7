import { useId, useState } from 'react'
import { useNavigate } from 'react-router-dom'
import { importPriceList, uploadPriceList } from '#contract/prices.ts'
import { getFieldProblems, createLocalProblem, type Problem } from '#contract/problem.ts'
import type { ClientType } from '#domain/access.ts'
import { getDisplayName } from '#domain/text.ts'
import { isPriceFileName } from '#domain/checks/price-file-checks.ts'
import { callEndpoint } from '#state/app-thunk.ts'
import { useConnection, useDispatch } from '#state/use-store.ts'
import { Button } from '#ui/display/Button.tsx'
import { Icon } from '#ui/icons/Icon.tsx'
import type { AnyFieldProblem } from '#ui/i18n/order-field-messages.ts'
import { Dialog } from '#ui/overlay/Dialog.tsx'
import { showToast } from '#ui/overlay/toasts.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { Skeleton } from '#ui/page/Skeleton.tsx'
import { useTranslation } from 'react-i18next'
import { getFileFaultText } from '#features/prices/import/file-faults.ts'
import { Differences, type PriceFileContent } from '#features/prices/import/Differences.tsx'
import { usePriceLists } from '#features/prices/usePriceLists.ts'
import { getPriceListPath } from '#features/prices/paths.ts'
import { priceListsSlice } from '#features/prices/slice.ts'

interface Props {
  type: ClientType
  onClose: () => void
}

/** Looks into a .zip, shows what it would make different from a list of one's choice, and only then makes a list of it (M152). */
export function ImportDialog({ type, onClose }: Props) {
  const { t } = useTranslation('prices')
  const { t: tUi } = useTranslation('ui')
  const dispatch = useDispatch()
  const navigate = useNavigate()
  const { networkState: connection } = useConnection()
  const { lists, getListState } = usePriceLists(type)
  const [importStage, setImportStage] = useState<'reading' | 'importing' | null>(null)
  const [name, setName] = useState<string | null>(null)
  const [fileContent, setFileContent] = useState<PriceFileContent | null>(null)
  const [refusalText, setRefusalText] = useState<string | null>(null)
  const [problem, setProblem] = useState<Problem | null>(null)

  async function readFile(file: File | undefined) {
    if (!file) return
    setName(file.name)
    setFileContent(null)
    setProblem(null)
    // What a picker let through is refused here as it would be there, before it is sent.
    if (!isPriceFileName(file.name)) return setRefusalText(t('fault.wrongEnding'))
    setRefusalText(null)
    setImportStage('reading')
    const result = await dispatch(callEndpoint(uploadPriceList, { body: { file } })).catch(() => null)
    setImportStage(null)
    if (result && 'output' in result && result.output) return setFileContent(result.output)
    const uploadProblem = result?.kind === 'problem' ? result.problem : createLocalProblem('OFFLINE')
    const [fault] = getFieldProblems(uploadProblem) as AnyFieldProblem[]
    if (fault) setRefusalText(getFileFaultText(t, fault))
    else setProblem(uploadProblem)
  }
  async function importFile() {
    if (!fileContent) return
    setImportStage('importing')
    const recordName = getDisplayName({ ...fileContent.list, type: fileContent.type }) ?? undefined
    const options = recordName === undefined ? {} : { recordName }
    const body = { md5: fileContent.md5 }
    const result = await dispatch(callEndpoint(importPriceList, { body }, options)).catch(() => null)
    setImportStage(null)
    if (!result || result.kind === 'problem') return setProblem(result?.problem ?? createLocalProblem('OFFLINE'))
    const createdList = 'output' in result ? result.output : null
    showToast({ kind: 'done', text: tUi('message.done', { action: t('act.import') }) })
    onClose()
    if (!createdList) return
    dispatch(priceListsSlice.rowCreated(createdList.id))
    void navigate(getPriceListPath(createdList.id))
  }
  const faultId = useId()
  const isDayTaken =
    fileContent && lists?.some((row) => !row.withdrawn && row.effective_date === fileContent.effective_date)
  const getDisabledReason = () => {
    if (!fileContent) return t('import.choose')
    if (connection !== 'online') return t('needsConnection')
    if (fileContent.type !== type) return t('import.otherType', { type: fileContent.type })
    if (fileContent.unknown.length > 0) return t('import.unknown', { codes: fileContent.unknown.join(', ') })
    return isDayTaken ? t('import.taken', { day: fileContent.effective_date }) : null
  }
  const disabledReason = fileContent && getDisabledReason()
  return (
    <Dialog
      open
      isWide
      title={t('import.title')}
      onClose={onClose}
      action={
        <Button
          kind="primary"
          isBusy={importStage === 'importing'}
          disabledReason={getDisabledReason()}
          onClick={() => void importFile()}
        >
          {t('act.import')}
        </Button>
      }
    >
      <div className="price-import">
        <p>{t('import.lead')}</p>
        <div className={refusalText ? 'field wrong' : 'field'}>
          <label className="button quiet price-file">
            <Icon name="upload" />
            <span className="button-words">{t(name === null ? 'import.file' : 'import.another')}</span>
            <input
              type="file"
              className="sr-only"
              accept=".zip"
              aria-invalid={refusalText ? true : undefined}
              aria-describedby={refusalText ? faultId : undefined}
              onChange={({ target }) => {
                void readFile(target.files?.[0])
                // The same file can be chosen again once it was mended.
                target.value = ''
              }}
            />
          </label>
          {name !== null && <span className="price-sub">{name}</span>}
          {refusalText && (
            <p className="field-error" id={faultId} role="alert">
              <Icon name="alert" size={16} />
              {refusalText}
            </p>
          )}
        </div>
        <ProblemNote problem={problem} title={t('import.failed')} />
        {importStage === 'reading' && <Skeleton lines={3} />}
        {fileContent && (
          <>
            <p role="status">
              {t('import.holds', {
                day: fileContent.effective_date,
                desc: fileContent.desc,
                count: fileContent.module.length,
              })}
            </p>
            {disabledReason && (
              <p className="price-warning" role="alert">
                {disabledReason}
              </p>
            )}
            <Differences fileContent={fileContent} lists={lists ?? []} getListState={getListState} />
          </>
        )}
      </div>
    </Dialog>
  )
}
