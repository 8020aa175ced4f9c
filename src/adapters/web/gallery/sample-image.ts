/** What stands for any image in the gallery, which has no thread to keep one in. */
export const SAMPLE_IMAGE = "/assets/sample-image.svg";
