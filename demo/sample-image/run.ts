/** Imports the image of the sample instance, and prints its name: `npm run sample-image`. The daemon is that of `DOCKER_HOST`. */
import Dockerode from 'dockerode'
import { StartProblem } from '#server/config/config.ts'
import { importSampleImage } from '#demo/sample-image/import-sample-image.ts'

try {
  console.log(await importSampleImage(new Dockerode()))
} catch (error) {
  if (!(error instanceof StartProblem)) throw error
  console.error(error.message)
  process.exitCode = 1
}
