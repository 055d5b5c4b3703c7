/** Opens and downloads documents. The address is requested when it is needed: it works once and expires after a minute (D65). */
import { openPrint, requestPrint } from '#contract/payments.ts'
import type { InputOf } from '#contract/endpoint.ts'
import type { CallResult, DownloadedFile } from '#request/call-results.ts'
import type { AppThunk } from '#state/app-thunk.ts'
import { downloadBytes } from '#ui/display/download-text.ts'
import { getLanguage } from '#ui/i18n/messages.ts'
import { showToast } from '#ui/overlay/toasts.tsx'

interface PrintedFile {
  kind: InputOf<typeof requestPrint>['body']['kind']
  id: number
}

/**
 * Opens the document as a page. Opens the tab in the click handler: browsers block tabs that open later. A blocked tab leads to a toast with
 * the text `readyText` and a button.
 */
export const openPrintedFile =
  (
    file: PrintedFile,
    { readyText, openLabel }: { readyText: string; openLabel: string },
  ): AppThunk<CallResult<unknown>> =>
  async (_dispatch, _getState, { api }) => {
    const tab = open('', '_blank')
    const result = await api.call(requestPrint, { body: { ...file, format: 'html', language: getLanguage() } })
    if (result.kind !== 'fresh') {
      tab?.close()
      return result
    }
    const { url } = result.output
    if (tab && !tab.closed) tab.location.replace(url)
    else {
      const action = { label: openLabel, onRun: () => void open(url, '_blank', 'noopener') }
      showToast({ kind: 'note', text: readyText, action })
    }
    return result
  }

/** Saves the PDF when all of it has arrived, so that a refusal becomes a result. */
export const savePrintedFile =
  (file: PrintedFile, defaultName: string): AppThunk<CallResult<unknown>> =>
  async (_dispatch, _getState, { api }) => {
    const result = await api.call(requestPrint, { body: { ...file, format: 'pdf', language: getLanguage() } })
    if (result.kind !== 'fresh') return result
    const key = result.output.url.slice(result.output.url.lastIndexOf('/') + 1)
    const fileResult = (await api.call(openPrint, { params: { key } })) as CallResult<DownloadedFile>
    if (fileResult.kind === 'fresh') downloadBytes(fileResult.output.bytes, fileResult.output.name ?? defaultName)
    return fileResult
  }
