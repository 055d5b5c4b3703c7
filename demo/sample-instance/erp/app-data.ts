/** Reads the data files of the installed apps. They are displayed, never executed. */
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { AppFile } from '#demo/sample-instance/storage/instance-storage.ts'
import type { TaskArguments } from '#demo/sample-instance/erp/task-arguments.ts'

export type AppContent = TaskArguments['apps'][number] & { files: AppFile[] }

export const maxAppFiles = 30
export const maxAppBytes = 64 * 1024

export const isDataFile = (name: string): boolean => name.startsWith('data/') && name.endsWith('.json')

export const readApps = ({ folder, apps }: TaskArguments): AppContent[] =>
  apps.map((app) => ({ ...app, files: app.folder === null ? [] : readAppFiles(join(folder, 'apps', app.folder)) }))

/** Reads the app's JSON files below `data/`. On the disk each file is named by a number; `index.json` contains the original names. */
function readAppFiles(folder: string): AppFile[] {
  const names = JSON.parse(readFileSync(join(folder, 'index.json'), 'utf8')) as string[]
  return names
    .map((name, number) => ({ name, path: join(folder, String(number)) }))
    .filter(({ name }) => isDataFile(name))
    .slice(0, maxAppFiles)
    .map(({ name, path }) => ({
      name,
      text: statSync(path).size > maxAppBytes ? null : formatAppFile(readFileSync(path)),
    }))
}

export function formatAppFile(bytes: Buffer): string | null {
  try {
    return JSON.stringify(JSON.parse(bytes.toString('utf8')), null, 2)
  } catch {
    return null
  }
}
