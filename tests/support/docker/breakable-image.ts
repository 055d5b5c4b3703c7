/** The image of the sample, except that some apps break its program (`program-breaks.ts`). */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import type Docker from 'dockerode'
import { importSampleImage } from '#demo/sample-image/import-sample-image.ts'

const folder = join(import.meta.dirname, '..', 'hosting')
const file = 'program-breaks.ts'
const name = 'portal-campaign/breakable-sample'

/** Returns the name of the image. Replaces an earlier one. */
export async function importBreakableImage(docker: Docker): Promise<string> {
  const sampleImage = await importSampleImage(docker)
  const container = await docker.createContainer({ Image: sampleImage })
  try {
    // Containers run as other users than the one of this file.
    const archive = spawn('tar', ['--mode=0444', '--owner=0', '--group=0', '-C', folder, '-c', file])
    await container.putArchive(archive.stdout, { path: '/' })
    await container.commit({ repo: name, tag: 'latest', changes: [`ENV NODE_OPTIONS=--import=/${file}`] })
  } finally {
    await container.remove()
  }
  return `${name}:latest`
}

/** Creates an image with other environment variables. Returns its name. */
export async function createImageVariant(
  docker: Docker,
  image: string,
  { name: tag, variables }: { name: string; variables: Record<string, string> },
): Promise<string> {
  const container = await docker.createContainer({ Image: image })
  try {
    const changes = Object.entries(variables).map(([key, value]) => `ENV ${key}=${value}`)
    await container.commit({ repo: name, tag, changes })
  } finally {
    await container.remove()
  }
  return `${name}:${tag}`
}
