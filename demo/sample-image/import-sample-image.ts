/** Builds the image of the sample instance from Node and the files of this machine, without a registry and without a build by Docker. */
import type Dockerode from 'dockerode'
import { completeEntries, hashEntries, packEntries } from '#demo/sample-image/image-entry.ts'
import { listProgramFiles, programFolder } from '#demo/sample-image/program-files.ts'
import { healthPath, listSystemFiles, nodePath } from '#demo/sample-image/system-files.ts'

const repository = 'portal-sample-instance'
const tagLength = 16

/** Time in seconds between two health checks. */
const healthSeconds = 5

const imageChanges = [
  `ENTRYPOINT ${JSON.stringify([nodePath, '--disable-warning=ExperimentalWarning', `/${programFolder}/demo/sample-instance/main.ts`])}`,
  'CMD ["run"]',
  `HEALTHCHECK --interval=${healthSeconds}s --timeout=10s --retries=3 CMD ${JSON.stringify([healthPath])}`,
  `ENV PATH=/usr/local/bin:/bin`,
  'ENV PORT=8080',
  'EXPOSE 8080',
  'USER 65534:65534',
  'WORKDIR /tmp',
]

/** Returns the name of the image with its tag. Does nothing if the daemon has it already. Throws StartProblem on other systems than Linux. */
export async function importSampleImage(docker: Dockerode): Promise<string> {
  const entries = completeEntries([...(await listSystemFiles()), ...listProgramFiles()])
  const changesEntry = { path: 'changes', kind: 'text', mode: 0, text: imageChanges.join('\n') } as const
  const tag = (await hashEntries([...entries, changesEntry])).slice(0, tagLength)
  const name = `${repository}:${tag}`
  if (await hasImage(docker, name)) return name
  const progress = await docker.importImage(packEntries(entries) as NodeJS.ReadableStream, {
    repo: repository,
    tag,
    changes: imageChanges,
  })
  await new Promise<void>((resolve, reject) => {
    docker.modem.followProgress(progress, (error) => (error ? reject(error) : resolve()))
  })
  return name
}

async function hasImage(docker: Dockerode, name: string): Promise<boolean> {
  try {
    await docker.getImage(name).inspect()
    return true
  } catch (error) {
    if ((error as { statusCode?: number }).statusCode === 404) return false
    throw error
  }
}
